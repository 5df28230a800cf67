/**
 * Writes to a data directory until it is killed, and says on standard output what is safe: the test's victim.
 *
 * Each line is the number of a write that the store has acknowledged.
 */
import { StoreLog } from "../../../src/controlplane/store/log.ts";
import { Store } from "../../../src/controlplane/store/store.ts";

const [, , folder = ""] = process.argv;
const disk = new StoreLog(folder, 4096);
const { version, objects } = await disk.open();
const store = new Store({
  sink: disk,
  ...(version === undefined ? {} : { startVersion: version }),
});
for (const [collection, object] of objects) store.restore(collection, object);

for (let number = objects.length; ; number++) {
  store.put("configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `write-${String(number).padStart(6, "0")}`, namespace: "default" },
  });
  await store.durable();
  process.stdout.write(`${number}\n`);
}
