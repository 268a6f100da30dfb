import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fault, Finding } from "./contract/finding.ts";
import { decodeFinding, encodeFinding, findingFileNames } from "./finding-file.ts";
import { StrictError } from "./strict.ts";

const at = { actor: "operator", protocol: "api", verb: "create", group: "", kind: "Secret", occurrence: 0 } as const;
const behind = {
  actor: "operator",
  group: "",
  kind: "Secret",
  name: "a-cert",
  change: "ADDED",
  occurrence: 0,
} as const;

const fault: Fault = {
  kind: "missing",
  key: "missing ConfigMap default/a-config",
  sentence: "After operator was killed, ConfigMap default/a-config is never made.",
  object: { group: "", kind: "ConfigMap", namespace: "default", name: "a-config" },
  expected: "kind: ConfigMap\n",
  step: 0,
  severity: "fault",
};

const finding: Finding = {
  format: 1,
  scenario: { name: "a certificate", file: "../scenario.yaml" },
  command: ["./manager", "--kubeconfig", "{}"],
  seed: 17,
  steps: [0, 2],
  plan: [
    { type: "crash", at, when: "after", downMillis: 1000 },
    { type: "answer-lost", at },
    { type: "refused", at, with: "conflict", times: 2 },
    { type: "slow", at, byMillis: 30_000 },
    { type: "lag", at: behind },
    { type: "gap", at: behind, untilStep: 2 },
    { type: "stale-restart", at, behind },
    { type: "resync", at: behind },
    { type: "bookmark", at: behind },
    { type: "lead-changes", at },
    { type: "slow-webhooks", actor: "operator", byMillis: 10 },
    { type: "node-lost", step: 0, node: "node-1", forMillis: 10 },
    { type: "clock-jump", step: 0, byMillis: 10 },
    { type: "repeated", at: { ...at, protocol: "csi", group: "csi", kind: "Volume" } },
    { type: "overtaken", at },
  ],
  fault,
  replayed: { shown: 3, of: 3 },
  versions: { keelson: "0.1.0", node: "24.0.0", platform: "linux" },
};

/** The finding with a member set to a value, or removed. */
function changed(path: readonly (string | number)[], value?: unknown): string {
  const copy = JSON.parse(JSON.stringify(finding)) as Record<string, unknown>;
  const parent = path.slice(0, -1).reduce((of, name) => of[name] as Record<string, unknown>, copy);
  const last = path.at(-1)!;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return JSON.stringify(copy);
}

describe("the file of a finding", () => {
  it("gives back what was written, with each type of perturbation", () => {
    expect(decodeFinding(encodeFinding(finding))).toEqual(finding);
    expect(decodeFinding(JSON.stringify(finding))).toEqual(finding);
  });

  it("keeps a fault that shows when the programs start, before any step", () => {
    const early = { ...finding, fault: { ...fault, step: -1 } };
    expect(decodeFinding(encodeFinding(early))).toEqual(early);
    expect(() => decodeFinding(changed(["fault", "step"], -2))).toThrow("expected a whole number from -1, found -2");
  });

  it("keeps several programs, and how a driver is started that plans may kill", () => {
    const { command: _, ...alone } = finding;
    const several: Finding = {
      ...alone,
      programs: [
        { name: "provisioner", command: ["./provisioner", "--csi-address={csi}"] },
        { name: "resizer", command: ["./resizer"] },
      ],
      csi: { endpoint: "unix:///csi.sock", driver: ["./driver", "-v"] },
      plan: [{ type: "crash", at, when: "before", downMillis: 1000, victim: "driver" }],
    };
    expect(decodeFinding(encodeFinding(several))).toEqual(several);
  });

  it("begins with the sentence, which cannot end the comment", () => {
    const hostile = { ...finding, fault: { ...fault, sentence: "a\nformat: 2\u001b[2J" } };
    const text = encodeFinding(hostile);
    expect(text.split("\n")[0]).toBe("# a\uFFFDformat: 2\uFFFD[2J");
    expect(decodeFinding(text)).toEqual(hostile);
  });

  it("says how it is played again: what it runs has to be trusted, and code of a test is played by the test", () => {
    const again = (one: Finding): string | undefined => encodeFinding(one).split("\n")[1];
    const { command, ...data } = finding;
    const module = { name: "a certificate", file: "../scenario.mts" };
    expect(again(finding)).toBe("# Play it again: keelson explore --replay FILE --trust");
    expect(again({ ...data, csi: { endpoint: "unix:///csi.sock" } })).toMatch(/ --trust$/);
    expect(again({ ...data, programs: [{ name: "a", command: command! }] })).toMatch(/ --trust$/);
    expect(again({ ...data, scenario: module })).toMatch(/ --trust$/);
    expect(again({ ...data, command: [], programs: [] })).toBe("# Play it again: keelson explore --replay FILE");
    expect(again({ ...data, scenario: { name: "a test" } })).toContain("replay() of keelson/testing");
  });

  it("writes the same text for the same finding", () => {
    const reversed = Object.fromEntries(Object.entries(finding).toReversed()) as unknown as Finding;
    expect(encodeFinding(reversed)).toBe(encodeFinding(finding));
  });

  it.each([
    [["plan", 0, "at", "actor"], 3, "plan[0].at.actor: expected a text that is not empty, found 3"],
    [["plan", 0, "at", "actor"], undefined, "plan[0].at.actor: expected a text that is not empty, found nothing"],
    [["plan", 0, "at", "occurrence"], -1, "plan[0].at.occurrence: expected a whole number from 0, found -1"],
    [["plan", 0, "at", "occurrence"], 1.5, "plan[0].at.occurrence: expected a whole number from 0, found 1.5"],
    [["plan", 0, "type"], "crush", "plan[0].type: expected one of crash, answer-lost,"],
    [["plan", 0, "type"], "constructor", "plan[0].type: expected one of crash, answer-lost,"],
    [["plan", 0, "byMillis"], 3, "plan[0].byMillis: unknown member; known are type, at, when, downMillis"],
    [["plan", 0, "whem"], 3, 'plan[0].whem: unknown member; did you mean "when"?'],
    [
      ["plan", 4, "at", "change"],
      "added",
      'plan[4].at.change: expected one of ADDED, MODIFIED, DELETED, found "added"',
    ],
    [["plan"], { 0: 1 }, 'plan: expected a list, found {"0":1}'],
    [["fault", "kind"], "toString", "fault.kind: expected one of missing, leaked,"],
    [["scenario", "file"], "/etc/passwd", "scenario.file: expected a path relative to the finding"],
    [["scenario", "file"], "data:text/javascript,1", "scenario.file: expected a path relative to the finding"],
    [["replayed", "of"], "3", 'replayed.of: expected a whole number from 0, found "3"'],
    [["__proto__x"], 3, "__proto__x: unknown member"],
    [["format"], 2, "format: expected 1, found 2; it was written by keelson 0.1.0"],
  ] as const)("names the member %j set to %j", (path, value, message) => {
    expect(() => decodeFinding(changed(path, value), "f.yaml")).toThrow(`f.yaml is no finding: ${message}`);
  });

  it("refuses what is no object, members that are there twice, and texts without end", () => {
    expect(() => decodeFinding("- 1")).toThrow("the text is no finding: expected an object with a format");
    expect(() => decodeFinding("format: 1\nformat: 1\n")).toThrow("format: expected each member once, found it twice");
    expect(() => decodeFinding("a: [")).toThrow("the text is no finding: ");
    expect(() => decodeFinding(" ".repeat(4_000_001))).toThrow("expected at most 4000000 characters");
  });

  it("throws errors of its own for any JSON in the place of any member", () => {
    const paths = [
      ["plan"],
      ["plan", 0],
      ["plan", 0, "at"],
      ["fault"],
      ["fault", "object"],
      ["scenario"],
      ["versions"],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        const text = changed(path, value);
        expect(readOf(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

/** The finding of a text as plain JSON; the JSON itself where it is refused with an error of its own. */
function readOf(text: string): unknown {
  try {
    return JSON.parse(JSON.stringify(decodeFinding(text)));
  } catch (error) {
    if (error instanceof StrictError) return JSON.parse(text);
    throw error;
  }
}

describe("the name of the file", () => {
  const named = (...faults: Partial<Fault>[]): readonly string[] =>
    findingFileNames(faults.map((more) => ({ ...fault, ...more })));

  it("says what is wrong with which object", () => {
    expect(named({})).toEqual(["missing-configmap-a-config.yaml"]);
    expect(named({ kind: "differs", path: ".spec.replicas" })).toEqual([
      "differs-configmap-a-config-spec-replicas.yaml",
    ]);
  });

  it("leaves out generated names", () => {
    const object = { group: "", kind: "Pod", namespace: "default", name: "a-x7k2p" };
    expect(named({ kind: "leaked", key: "leaked Pod default/a-*", object })).toEqual(["leaked-pod.yaml"]);
  });

  it("tells equal names apart by their keys, whatever their order", () => {
    const other = { key: "missing ConfigMap other/a-config" };
    const [first, second] = named({}, other);
    expect(first).toMatch(/^missing-configmap-a-config-[0-9a-f]{8}\.yaml$/);
    expect(second).not.toBe(first);
    expect(named(other, {})).toEqual([second, first]);
  });

  it("holds only letters, digits and dashes, and is bounded", () => {
    const { object: _object, ...rule } = fault;
    const hostile = { ...rule, kind: "always", key: "always ../../etc/passwd \u0000 Größe" } as const;
    expect(findingFileNames([hostile])).toEqual(["always-etc-passwd-gr-e.yaml"]);
    const [long = ""] = findingFileNames([{ ...hostile, key: "x".repeat(5000) }]);
    expect(long).toHaveLength(100 + 1 + 8 + ".yaml".length);
  });
});
