import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { DIALECTS } from "../serve/keelson.ts";
import { built } from "./built.ts";
import { KUBERNETES, testLibrary } from "./program.ts";

/** Public tools on the OpenAPI documents: validators of both forms, and a generator whose client is compiled and used. */
const folder = new URL("openapi/", import.meta.url).pathname;
const pins = JSON.parse(readFileSync(`${folder}pinned/package.json`, "utf8")) as {
  dependencies: Record<string, string>;
};

const tools = await built({
  name: "openapi-tools",
  folder: `${folder}pinned`,
  commands: (output) => [
    ["cp", "package.json", "package-lock.json", output],
    ["npm", "ci", "--prefix", output, "--ignore-scripts", "--no-audit", "--no-fund"],
  ],
});

interface Document {
  readonly paths: Readonly<Record<string, object>>;
}

/** Loads a package that only the tools have. */
async function load<T>(name: string): Promise<T> {
  const path = createRequire(join(tools!, "package.json")).resolve(name);
  return (await import(pathToFileURL(path).href)) as T;
}

/** The document with another name for members called `$ref`: those of schemas as data, which tools take for references. */
function withoutRefMembers(value: unknown, areMembers = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutRefMembers(one));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => {
    const name = areMembers && key === "$ref" ? "ref" : key;
    return [name, withoutRefMembers(one, !areMembers && key === "properties")] as const;
  });
  return Object.fromEntries(entries);
}

/** What the schema of the specification finds. */
async function broken(document: Document): Promise<unknown> {
  interface Module {
    readonly Validator: new () => { validate(it: Document): Promise<{ valid: boolean; errors?: unknown }> };
  }
  const { Validator } = await load<Module>("@seriousme/openapi-schema-validator");
  const { valid, errors } = await new Validator().validate(withoutRefMembers(document) as Document);
  return valid ? undefined : errors;
}

/** What the rules of the specification find that a schema cannot tell: references, parameters of paths, names. */
async function complaints(document: Document): Promise<readonly string[]> {
  interface Problem {
    readonly ruleId: string;
    readonly message: string;
    readonly location: readonly { readonly pointer?: string }[];
  }
  interface Module {
    readonly createConfig: (config: object) => Promise<object>;
    readonly lintFromString: (options: object) => Promise<Problem[]>;
  }
  const { createConfig, lintFromString } = await load<Module>("@redocly/openapi-core");
  // Kubernetes describes members of v2 beside their `$ref`, and its clients read that.
  const config = await createConfig({ extends: ["spec"], rules: { "spec-ref-siblings": "off" } });
  const problems = await lintFromString({
    source: JSON.stringify(withoutRefMembers(document)),
    config,
    absoluteRef: "document.json",
  });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

/** Where the client is made: not below node_modules, where a compiler takes everything as it is. */
const client = mkdtempSync(join(tmpdir(), "keelson-openapi-"));
afterAll(() => rmSync(client, { recursive: true }));

/** How people who are careful compile. */
const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  skipLibCheck: true,
  target: "es2024",
  module: "nodenext",
  typeRoots: [new URL("../../node_modules/@types", import.meta.url).pathname],
  types: ["node"],
  outDir: "out",
};

describe.skipIf(tools === undefined).each(DIALECTS)("the OpenAPI documents of the %s dialect", (dialect) => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ dev: true, port: 0, dialect });
  });
  afterAll(() => server.close());

  const document = (path: string): Promise<Document> => server.client("openapi").json<Document>("GET", path);

  test("v3: every document is valid", async () => {
    const { paths } = await document("/openapi/v3");
    const found: unknown[] = [];
    for (const name of Object.keys(paths)) {
      const one = await document(`/openapi/v3/${name}`);
      const errors = await broken(one);
      if (errors !== undefined) found.push({ name, errors });
      found.push(...(await complaints(one)));
    }
    expect(Object.keys(paths).length).toBeGreaterThan(5);
    expect(found).toEqual([]);
  });

  test("v2: the document is valid", async () => {
    const one = await document("/openapi/v2");
    expect(await broken(one)).toBeUndefined();
    expect(await complaints(one)).toEqual([]);
  });

  test("the validators find what is wrong", async () => {
    const v3 = JSON.stringify(await document("/openapi/v3/api/v1"));
    expect(await broken(JSON.parse(v3.replaceAll('"in":"query"', '"in":"nowhere"')) as Document)).toBeDefined();
    const lost = JSON.parse(v3.replace("/ConfigMapList", "").replace('v1.ConfigMap"', 'v1.Nothing"')) as Document;
    expect(await complaints(lost)).not.toEqual([]);
  });

  // The program that uses it names the kinds of this dialect.
  if (dialect !== "kubernetes") return;
  test("a client generated from v3 compiles in strict mode", async () => {
    const run = async (...args: string[]): Promise<void> => {
      // A compiler tells on standard output what is wrong.
      await promisify(execFile)(process.execPath, args, { cwd: client }).catch((error: Error & { stdout?: string }) => {
        throw new Error(`${error.message}\n${error.stdout}`);
      });
    };
    for (const [name, path] of [
      ["core", "api/v1"],
      ["storage", "apis/storage.k8s.io/v1"],
    ] as const) {
      writeFileSync(join(client, `${name}.json`), JSON.stringify(await document(`/openapi/v3/${path}`)));
      const generator = join(tools!, "node_modules/@hey-api/openapi-ts/bin/run.js");
      await run(generator, "--input", `${name}.json`, "--output", name, "--silent", "--no-log-file");
    }
    const page = readFileSync(join(folder, "README.md"), "utf8");
    writeFileSync(join(client, "crud.ts"), /```ts\n(.*?)```/s.exec(page)![1]!);
    writeFileSync(join(client, "tsconfig.json"), JSON.stringify({ compilerOptions: STRICT, include: ["crud.ts"] }));
    writeFileSync(join(client, "package.json"), JSON.stringify({ type: "module" }));
    await run(join(tools!, "node_modules/typescript/bin/tsc"), "--project", ".");
  });
});

testLibrary({
  name: "@hey-api/openapi-ts",
  language: "TypeScript, generated",
  version: pins.dependencies["@hey-api/openapi-ts"]!,
  command: tools === undefined ? undefined : { file: process.execPath, args: ["out/crud.js"], cwd: client },
  parts: { crud: KUBERNETES },
});
