/** The rights that the project's roles grant, and their use by the operator's requests. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { PageRight } from "../cli/page/protocol.ts";
import { Breakable } from "./breakable.tsx";
import { counted } from "./words.ts";

export interface RightsProps {
  readonly rights: readonly PageRight[];
  readonly place: string | undefined;
}

type Use = "refused" | "used" | "unused" | "other";

const WORDS: Readonly<Record<Use, string>> = {
  refused: "refused",
  used: "used",
  unused: "not used yet",
  other: "used, through a permission that is not in the project's roles",
};

function useOf({ granted, used, refused }: PageRight): Use {
  if (refused > 0) return "refused";
  if (granted === undefined) return "other";
  return used > 0 ? "used" : "unused";
}

export function Rights({ rights }: RightsProps): JSX.Element {
  const resources = useMemo(() => byResource(rights), [rights]);
  const unused = rights.filter((right) => useOf(right) === "unused").length;
  const refused = rights.filter((right) => useOf(right) === "refused").length;
  return (
    <section class="rights" aria-labelledby="rights-title">
      <div class="bar">
        <h2 id="rights-title">Rights</h2>
        <p class="dim">
          {counted(rights.length, "right")}, {unused.toLocaleString()} not used yet
          {refused > 0 && `, ${refused.toLocaleString()} refused`}
        </p>
      </div>
      {rights.length === 0 ? (
        <p class="empty">
          No role of the project grants anything yet. <code>@Rbac</code> on a reconciler does, with{" "}
          <code>tsop manifests</code>.
        </p>
      ) : (
        <>
          <p class="note">
            Counted since the operator was started. A right that is not used yet may be needed
            later: for a cleanup, after a failure.
          </p>
          <div class="scrolled" tabIndex={0} role="region" aria-label="Table of permissions">
            <table>
              <thead>
                <tr>
                  <th scope="col">Resource</th>
                  <th scope="col">Verbs</th>
                </tr>
              </thead>
              <tbody>
                {resources.map(([resource, verbs]) => (
                  <tr key={resource}>
                    <th scope="row">
                      <Breakable text={resource} />
                    </th>
                    <td>
                      <ul class="verbs">
                        {verbs.map((right) => (
                          <Verb key={right.verb} right={right} />
                        ))}
                      </ul>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
}

function Verb({ right }: { readonly right: PageRight }): JSX.Element {
  const { verb, used, refused, granted } = right;
  const use = useOf(right);
  const scope = granted === undefined || granted === "everywhere" ? "" : ` ${granted}`;
  const title = `${WORDS[use]}${used > 0 ? `, ${counted(used, "request")}` : ""}${refused > 0 ? `, ${refused} refused` : ""}${scope}`;
  return (
    <li class={use} title={title}>
      {verb}
      {used > 0 && <span class="times">{used.toLocaleString()}</span>}
      <span class="unseen">: {title}</span>
    </li>
  );
}

function byResource(rights: readonly PageRight[]): [string, PageRight[]][] {
  const found = new Map<string, PageRight[]>();
  for (const right of rights) {
    const { resource, subresource } = right;
    const name = subresource === undefined ? resource : `${resource}/${subresource}`;
    found.set(name, [...(found.get(name) ?? []), right]);
  }
  return [...found];
}
