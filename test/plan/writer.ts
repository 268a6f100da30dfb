/** A process that applies documents as one, round after round, on the store of a directory, until it is killed. */
import { appendFileSync } from "node:fs";
import { applyDocuments } from "../../src/client/index.ts";
import { createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { systemClock } from "../../src/util/clock.ts";
import { documentsOf } from "./rounds.ts";

const [directory = "", log = "", first = "0"] = process.argv.slice(2);
const store = await openSqliteStore({ directory, clock: systemClock });
const cluster = await createCluster({ store, dialect: kubernetes });
const client = cluster.client("writer");
process.stdout.write("ready\n");
for (let round = Number(first); ; round++) {
  appendFileSync(log, `begin ${round}\n`);
  const { outcome } = await applyDocuments(client, documentsOf(round), { fieldManager: "writer" });
  appendFileSync(log, `${outcome} ${round}\n`);
}
