/**
 * Takes and releases the lock of its argument for some rounds, and says how often it had it; ends with 1 when it had
 * the lock together with another process.
 */
import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { FileLock } from "../../src/file-lock.ts";

const [path = "", rounds = "0"] = process.argv.slice(2);
let taken = 0;
for (let round = 0; round < Number(rounds); round++) {
  const lock = FileLock.tryTake(path);
  if (!(lock instanceof FileLock)) continue;
  taken++;
  // Throws when another process is here, too.
  writeFileSync(`${path}-inside`, "", { flag: "wx" });
  rmSync(`${path}-inside`);
  // A process that ends without a word leaves such a lock behind, for all to take over at once.
  if (round % 2 === 0)
    writeFileSync(
      path,
      JSON.stringify({ pid: 2 ** 30, host: hostname(), id: `${process.pid}-${round}` }),
    );
  else lock.release();
}
console.log(taken);
