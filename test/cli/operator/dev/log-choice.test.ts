/** Which lines of the operator's log are shown after each press of the key. */
import { describe, expect, it } from "vitest";
import { LogChoice } from "../../../../src/cli/operator/dev/log-choice.ts";

const line = (level: number, controller?: string): string =>
  JSON.stringify({ level, time: 0, msg: "x", ...(controller !== undefined && { controller }) });
const LINES = {
  "info of web": line(30, "web"),
  "error of web": line(50, "web"),
  "info of db": line(30, "db"),
  "error of db": line(50, "db"),
  "info of none": line(30),
  "error of none": line(60),
  printed: "TypeError: x is undefined",
};
const shown = (choice: LogChoice): string[] =>
  Object.entries(LINES).flatMap(([name, text]) => (choice.shows(text) ? [name] : []));

describe("LogChoice", () => {
  it("goes from everything to each controller, to errors, and back; says what it hid", () => {
    const choice = new LogChoice();
    expect(shown(choice)).toEqual(Object.keys(LINES));
    expect(choice.next()).toBe("log: only the controller db");
    expect(shown(choice)).toEqual(["info of db", "error of db", "error of none", "printed"]);
    expect(choice.next()).toBe("log: only the controller web; 3 lines were not shown until now");
    expect(shown(choice)).toEqual(["info of web", "error of web", "error of none", "printed"]);
    expect(choice.next()).toBe("log: only errors; 3 lines were not shown until now");
    expect(shown(choice)).toEqual(["error of web", "error of db", "error of none", "printed"]);
    expect(choice.next()).toBe("log: everything; 3 lines were not shown until now");
    expect(shown(choice)).toEqual(Object.keys(LINES));
    expect(choice.next()).toBe("log: only the controller db");
  });

  it("has errors alone where no controller has spoken", () => {
    const choice = new LogChoice();
    expect([choice.next(), choice.next()]).toEqual(["log: only errors", "log: everything"]);
  });
});
