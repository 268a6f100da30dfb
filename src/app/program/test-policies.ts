import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { TestPolicies } from "../../cli/actions.ts";
import { CliError } from "../../cli/cli-error.ts";
import { StatusError } from "../../client/errors.ts";
import { type Cluster, createCluster } from "../../cluster/index.ts";
import { kubernetes } from "../../meta/dialect.ts";
import { gatesOf } from "../../meta/gates.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import {
  type TestFile,
  TestFileError,
  TestFiles,
  neededKinds,
  readSuites,
  runSuites,
} from "../../trial/cases/index.ts";
import { KindTable } from "../../trial/index.ts";
import { DecodeError } from "../../value/decode-error.ts";
import type { ValueObject } from "../../value/value.ts";

const EXTENSIONS: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"]);
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Runs the tests of policies in a cluster in memory, which has the kinds and stores nothing of the tests. */
export const testPolicies: TestPolicies = async (paths, { run }) => {
  const files = new TestFiles(findFiles);
  try {
    const all = readSuites(paths, files);
    const chosen = all.map((suite) => ({ ...suite, cases: suite.cases.filter(({ name }) => name.includes(run)) }));
    const store = await openMemoryStore();
    const gates = gatesOf(kubernetes, { MutatingAdmissionPolicy: true });
    await using cluster = await createCluster({ store, dialect: kubernetes, gates });
    const { suites, definitions } = neededKinds(chosen, new KindTable(cluster.kinds));
    await define(cluster, definitions);
    // A worker thread would not count what it covers.
    const { threads: _, ...parts } = cluster.trialParts();
    return await runSuites(parts, suites, (file) => files.textOf(file));
  } catch (error) {
    if (!(error instanceof TestFileError || error instanceof DecodeError)) throw error;
    throw new CliError(error.message, { cause: error });
  }
};

/** Serves custom kinds. */
async function define(cluster: Cluster, definitions: readonly ValueObject[]): Promise<void> {
  const client = cluster.client("keelson-policy-test");
  for (const body of definitions) {
    const served = servedKind(cluster, body);
    try {
      await client.json("POST", DEFINITIONS, { body });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      throw new TestFileError(error.status.message ?? error.message, { cause: error });
    }
    await served;
  }
}

/** Resolves when the kinds of a definition are served. */
async function servedKind({ kinds }: Cluster, { metadata }: ValueObject): Promise<void> {
  const { name } = metadata as { readonly name: string };
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (kinds.stored(name)) resolve();
  };
  using _ = kinds.onChange(look);
  look();
  await promise;
}

/** A file, or all YAML and JSON files of a folder and below, in the order of their names. */
function findFiles(path: string): readonly TestFile[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [{ path, text: readFileSync(path, "utf8") }];
  const inside = readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return inside
    .filter((entry) => entry.isDirectory() || EXTENSIONS.has(extname(entry.name)))
    .flatMap((entry) => findFiles(join(path, entry.name)));
}
