/**
 * Requests at the limits of what is accepted: no turn of the event loop is long, nothing fails. The usual run plays a small sample
 * by `SEED` of each generator and of each of those who send; `LONG=1` a larger one, which has each kind, and the long form all.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../../src/util/clock.ts";
import { MAX_SLICE_MS, expectNotLong } from "../../../src/util/testing/slices.ts";
import { Scratch } from "../../serve/keelson.ts";
import { LONG, SHORT } from "../rows.ts";
import type { TargetOptions } from "../target.ts";
import { decoderRows, reviewRows } from "./bodies.ts";
import { customRows, definitionRows } from "./definitions.ts";
import { kindRows } from "./kinds.ts";
import { metadataRows } from "./metadata.ts";
import { patchRows } from "./patches.ts";
import { LimitPlayer } from "./player.ts";
import type { LimitRow } from "./request.ts";
import { headRows } from "./strangers.ts";
import { verbRows } from "./verbs.ts";

/** What one generator makes, and how a sample of it is taken. */
interface Table {
  readonly rows: readonly LimitRow[];
  /** How many rows of each group a sample has; in the usual run a fifth. */
  readonly each: number;
  /** The group of a row; all are one by default. */
  readonly groupOf?: (row: LimitRow) => string;
}

/** `admin: apps/v1 Deployment` of `admin: apps/v1 Deployment.spec.template`. */
const kindOf = ({ name }: LimitRow): string =>
  name
    .split(/[.[]/)
    .slice(0, -1)
    .join(".")
    .replace(/(: \S+ \w+).*/, "$1");
const whoOf = ({ name }: LimitRow): string => name.split(":")[0]!;

const random = seededRandom(Number(process.env["SEED"]));

/** So many rows of each group, drawn by the seed. */
function sample({ rows, each, groupOf = () => "" }: Table): readonly LimitRow[] {
  if (LONG) return rows;
  const groups = Map.groupBy(rows, groupOf);
  return [...groups.values()].flatMap((group) => drawn(group, SHORT ? Math.ceil(each / 5) : each));
}

function drawn<T>(items: readonly T[], count: number): T[] {
  const left = [...items];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random.next() * left.length), 1)[0]!,
  );
}

/** Against one server, with these options. */
function limits(
  title: string,
  tables: readonly Table[],
  options: (scratch: Scratch) => TargetOptions = () => ({}),
): void {
  // The meter looks at the CPU of a thread.
  describe.skipIf(process.platform !== "linux")(`requests at the limits: ${title}`, () => {
    const scratch = new Scratch();
    let player: LimitPlayer;
    beforeAll(async () => {
      player = await LimitPlayer.start(scratch, options(scratch));
    });
    afterAll(async () => {
      await player.stop();
      scratch.remove();
    });

    test.each(tables.flatMap(sample))("$name", { timeout: 300_000 }, async (row) => {
      const { turnMillis, by, failures } = await player.play(row);
      expect(failures).toEqual([]);
      expectNotLong(turnMillis, MAX_SLICE_MS, by);
    });

    test("after all of them nothing has reached the process", async () => {
      expect(await player.target.metric("keelson_uncaught_total")).toBe(0);
    });
  });
}

limits("everybody", [
  {
    rows: ["stranger", "nobody", "tenant", "admin"].flatMap((who) => headRows(who as "admin")),
    each: 4,
    groupOf: whoOf,
  },
  { rows: decoderRows(), each: 3 },
  { rows: decoderRows("stranger"), each: 2 },
  { rows: reviewRows(), each: 2, groupOf: whoOf },
  { rows: verbRows(), each: 3 },
  { rows: metadataRows(), each: 2 },
  { rows: patchRows(), each: 3 },
  { rows: definitionRows(), each: 1 },
  { rows: customRows(), each: 2 },
]);

limits("each kind", [
  SHORT ? { rows: kindRows(), each: 60 } : { rows: kindRows(), each: 1, groupOf: kindOf },
  { rows: kindRows("admin", "texts"), each: 3 },
]);

const POLICY = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "RequestResponse" }] };
const KEY = Buffer.alloc(32, "k").toString("base64");
const ENCRYPTION = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [{ resources: ["*.*"], providers: [{ aescbc: { keys: [{ name: "k", secret: KEY }] } }] }],
};

limits(
  "all is written down and encrypted",
  [
    { rows: metadataRows(), each: 1 },
    { rows: patchRows(), each: 2 },
    { rows: customRows(), each: 1 },
    { rows: decoderRows(), each: 2 },
  ],
  ({ path }) => {
    const [policy, encryption] = [join(path, "policy.json"), join(path, "encryption.json")];
    writeFileSync(policy, JSON.stringify(POLICY));
    writeFileSync(encryption, JSON.stringify(ENCRYPTION));
    const audit = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(path, "audit.log")}`];
    return { args: [...audit, `--encryption-provider-config=${encryption}`] };
  },
);
