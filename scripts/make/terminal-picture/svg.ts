/** A terminal session as a picture: SVG with text in it. */

/** A command, and the lines of its output to show. */
export interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

const BACKGROUND = "#0d1117";
const BORDER = "#30363d";
const PROMPT = "#7ee787";
const COMMAND = "#f0f6fc";
const OUTPUT = "#adbac7";
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const SIZE = 13;
/**
 * The width of a monospaced character, approximately: `textLength` keeps the columns in any font.
 */
const COLUMN = 7.8;
const LINE = 19;
const MARGIN = 18;
const BAR = 34;

/** Non-breaking spaces: SVG collapses several spaces into one. */
const asText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00a0");

/**
 * The picture.
 *
 * @param title - the description for screen readers
 * @param columns - its width; longer lines end with an ellipsis
 */
export function terminalSvg(title: string, session: readonly Shown[], columns: number): string {
  const drawn: string[] = [];
  const draw = (row: number, column: number, text: string, style: string): void => {
    if (text.trim() === "") return;
    const room = columns - column;
    const cut = text.length > room ? `${text.slice(0, room - 1)}…` : text;
    const x = (MARGIN + column * COLUMN).toFixed(1);
    const y = (BAR + (row + 0.8) * LINE).toFixed(1);
    const length = (cut.length * COLUMN).toFixed(1);
    drawn.push(`<text x="${x}" y="${y}" textLength="${length}" ${style}>${asText(cut)}</text>`);
  };
  let row = 0;
  for (const { command, output } of session) {
    draw(row, 0, "$", `fill="${PROMPT}"`);
    draw(row++, 2, command, `fill="${COMMAND}" font-weight="bold"`);
    for (const line of output) draw(row++, 0, line.trimEnd(), `fill="${OUTPUT}"`);
    row++;
  }
  const width = Math.ceil(columns * COLUMN + 2 * MARGIN);
  const height = BAR + row * LINE;
  const dots = ["#ff5f56", "#ffbd2e", "#27c93f"].map(
    (fill, index) => `<circle cx="${MARGIN + 6 + index * 20}" cy="18" r="6" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${asText(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${BACKGROUND}" stroke="${BORDER}"/>`,
    ...dots,
    `<g font-family="${FONT}" font-size="${SIZE}">`,
    ...drawn,
    "</g>",
    "</svg>\n",
  ].join("\n");
}
