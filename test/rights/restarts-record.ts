/**
 * Records what a real server makes of default roles when it starts again: `--change` does what is drawn, then the server is
 * started again by hand, then `--record FILE` asks and writes.
 *
 *     node test/rights/restarts-record.ts --server URL --token T --seed 1 --change state.json
 *     node test/rights/restarts-record.ts --server URL --token T --seed 1 --state state.json --record test/rights/restarts.json
 *
 * The token has to be one of a member of `system:masters`. A record is added to what the file has.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { realServer } from "./real.ts";
import { change, drawChanges, found } from "./restarts.ts";

const { values } = parseArgs({
  options: {
    server: { type: "string", default: "" },
    token: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    change: { type: "string" },
    state: { type: "string", default: "" },
    record: { type: "string" },
  },
});
const server = realServer(values.server, values.token);
const changes = drawChanges(Number(values.seed));

if (values.change !== undefined) writeFileSync(values.change, JSON.stringify([...(await change(server, changes))]));

if (values.record !== undefined) {
  const before = new Map(JSON.parse(readFileSync(values.state, "utf8")) as [string, string][]);
  const records = existsSync(values.record) ? (JSON.parse(readFileSync(values.record, "utf8")) as object[]) : [];
  const touched = new Set(changes.map(({ method, path }) => (method === "POST" ? "" : path)));
  const all = Object.entries(await found(server, before));
  const after = Object.fromEntries(all.filter(([path]) => touched.has(path)));
  writeFileSync(values.record, `${JSON.stringify([...records, { changes, after }])}\n`);
}
