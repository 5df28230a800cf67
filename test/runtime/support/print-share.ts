/** Says how much of a recording is matched, where whoever runs the tests sees it. */
export function printShare(what: string, equal: number, all: number): void {
  console.log(`${what}: ${equal} of ${all} equal, ${((100 * equal) / all).toFixed(1)} %`);
}
