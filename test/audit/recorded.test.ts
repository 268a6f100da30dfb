/**
 * The events of a real API server, 1.35, for a list of requests: the same requests make the same events here. Where the
 * answer itself is another one, or the real server loses the event, nothing is recorded of it and the request is sent only.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../../src/app/start/start.ts";
import recorded from "./recorded.json" with { type: "json" };
import { normal } from "./normal.ts";
import { RECORDED_WITHOUT } from "../conformance/server.ts";

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code?: number;
  readonly stages?: readonly string[];
  /** The last event. */
  readonly event?: unknown;
}

interface Told {
  readonly auditID: string;
  readonly stage: string;
  readonly [member: string]: unknown;
}

const REQUESTS = recorded as readonly Recorded[];
const directory = mkdtempSync(join(tmpdir(), "keelson-recorded-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const idOf = ({ headers }: Recorded, i: number): string => headers?.["audit-id"] ?? `q-${i}`;

/** Sends a request as it was recorded; answers the code. */
function play(base: string, token: string, recording: Recorded, i: number): Promise<number> {
  const { method, path, body, headers: own } = recording;
  const { authorization = `Bearer ${token}`, ...more } = own ?? {};
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const headers = {
    "user-agent": "audit-test",
    "audit-id": idOf(recording, i),
    ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    ...more,
    ...(authorization === "" ? {} : { authorization }),
  };
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = send({ hostname, port, method, path, headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject).end(text);
  });
}

describe("AUDIT-10..23: recorded events of a real server", () => {
  const codes: number[] = [];
  let told: Told[] = [];

  beforeAll(async () => {
    const policy = join(directory, "policy.yaml");
    const log = join(directory, "audit.log");
    writeFileSync(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n");
    const server = await startServer({
      dev: true,
      port: 0,
      insecureHttp: true,
      dialect: "kubernetes",
      controllers: ["none"],
      disableAdmissionPlugins: RECORDED_WITHOUT,
      auditPolicyFile: policy,
      auditLogPath: log,
    });
    for (const [i, recording] of REQUESTS.entries())
      codes.push(await play(server.url, server.pki.adminToken, recording, i));
    await server.close();
    const lines = readFileSync(log, "utf8").trim().split("\n");
    told = lines.map((line) => JSON.parse(line) as Told);
  });

  const compared = REQUESTS.map((recording, i) => ({ ...recording, i, name: recording.path.slice(0, 90) })).filter(
    ({ code }) => code !== undefined,
  );

  test.each(compared)("$i: $method $name", ({ i, code, stages, event }) => {
    const mine = told.filter(({ auditID }) => auditID === idOf(REQUESTS[i]!, i));
    expect(codes[i]).toBe(code);
    expect(mine.map(({ stage }) => stage)).toEqual(stages);
    const { kind: _kind, apiVersion: _version, level: _level, ...last } = normal(mine.at(-1)) as Told;
    expect(last).toEqual(event);
  });
});
