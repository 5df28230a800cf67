import { describe, expect, it } from "vitest";
import { proxyFromEnvironment } from "../../../src/runtime/transport/proxy.ts";

const proxyOf = (server: string, environment: Record<string, string>): string | undefined =>
  proxyFromEnvironment(new URL(server), environment);

const HTTPS_PROXY = "http://proxy:3128";

// The table of Go's own test: golang.org/x/net/http/httpproxy.
describe("The proxy of the environment", () => {
  it.each([
    ["https://a.example", { HTTPS_PROXY }, "http://proxy:3128/"],
    ["https://a.example", { https_proxy: HTTPS_PROXY }, "http://proxy:3128/"],
    ["https://a.example", { HTTPS_PROXY: "first:1", https_proxy: "second:2" }, "http://first:1/"],
    ["https://a.example", { HTTPS_PROXY: "", https_proxy: "second:2" }, "http://second:2/"],
    ["https://a.example", { HTTPS_PROXY: "https://cache.com:8443" }, "https://cache.com:8443/"],
    ["https://a.example", { HTTPS_PROXY: "http://127.0.0.1" }, "http://127.0.0.1/"],
    ["https://a.example", { HTTPS_PROXY: "socks5://127.0.0.1" }, "socks5://127.0.0.1"],
    ["https://a.example", { HTTP_PROXY: HTTPS_PROXY }, undefined],
    ["http://a.example", { HTTPS_PROXY }, undefined],
    ["http://a.example", { HTTP_PROXY: HTTPS_PROXY }, "http://proxy:3128/"],
    ["https://a.example", {}, undefined],
  ])("of %s with %j is %s", (server, environment, proxy) => {
    expect(proxyOf(server, environment as Record<string, string>)).toBe(proxy);
  });

  it.each([
    ["localhost", "", false],
    ["127.0.0.1", "", false],
    ["127.0.0.2", "", false],
    ["[::1]", "", false],
    ["[::2]", "", true],
    ["192.168.1.1", "192.168.1.1", false],
    ["192.168.1.2", "192.168.1.1", true],
    ["192.168.1.3:6443", "192.168.1.3:6443", false],
    ["192.168.1.3:6443", "192.168.1.3:80", true],
    ["10.0.0.2", "10.0.0.0/30", false],
    ["10.0.0.4", "10.0.0.0/30", true],
    ["[2001:db8::52:0:1]", "2001:db8::52:0:1", false],
    ["[2001:db8::52:0:2]", "2001:db8::52:0:1", true],
    ["[2002:db8:a::45]", "2002:db8:a::/48", false],
    ["foo.example", "foo.example", false],
    ["bar.foo.example", "foo.example", false],
    ["barfoo.example", "foo.example", true],
    ["foo.example", ".foo.example", true],
    ["bar.foo.example", ".foo.example", false],
    ["bar.foo.example", "*.foo.example", false],
    ["foo.example", "*.foo.example", true],
    ["FOO.example", "foo.EXAMPLE", false],
    ["foo.example", " x , foo.example ", false],
    ["foo.example:6443", "foo.example:6443", false],
    ["foo.example:6443", "foo.example:443", true],
    ["foo.example", "foo.example:443", false],
    ["foo.example", "*", false],
    ["10.1.2.3", "*", false],
    ["foo.example", ",,", true],
    ["foo.example", ":443", true],
    ["10.1.2.3", "3", true],
  ])("is used for %s with NO_PROXY=%s: %s", (host, NO_PROXY, used) => {
    expect(proxyOf(`https://${host}`, { HTTPS_PROXY, NO_PROXY }) !== undefined).toBe(used);
    expect(proxyOf(`https://${host}`, { HTTPS_PROXY, no_proxy: NO_PROXY }) !== undefined).toBe(
      used,
    );
  });

  it("is refused when nothing can be done with it, without its password", () => {
    for (const value of ["ftp://user:hidden@proxy", "http://", "http://[", "user:hidden@:x"]) {
      expect(() => proxyOf("https://a.example", { HTTPS_PROXY: value })).toThrow(
        expect.objectContaining({
          code: "proxy-unusable",
          message: expect.not.stringContaining("hidden"),
        }),
      );
    }
  });
});
