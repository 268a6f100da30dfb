import { describe, expect, it } from "vitest";
import { painter } from "../../util/terminal.ts";
import { widthOf } from "../../util/width.ts";
import type { Fault } from "../contract/finding.ts";
import type { Trace } from "../contract/trace.ts";
import type { Exploration } from "../exploration.ts";
import { findingReport } from "./finding-report.ts";
import { explorationReport, type ExplorationReport, formatReport } from "./index.ts";
import { findingLines } from "./terminal.ts";
import { change, clean, evidence, finding, run, stored, traceOf } from "./testing/example.ts";

const plain = painter(false);

const explorationOf = (fault: Partial<Fault> = {}): Exploration => {
  const found = { ...finding, fault: { ...finding.fault, ...fault } };
  const record = { order: { seed: 17, plan: [] }, states: [], complaints: [], met: [], restlessWrites: 0 };
  return {
    findings: [found],
    notices: [],
    coverage: {
      writes: [
        {
          actor: "operator",
          write: "create of Secret default/a-cert",
          perturbations: { crash: "tried", slow: "left" },
        },
        { actor: "operator", write: "create of ConfigMap default/a-config", perturbations: { crash: "not reachable" } },
      ],
      types: [{ type: "crash", planned: 6, tried: 6, met: 5 }],
      pairs: { tried: 2, of: 3 },
      combinations: 0,
      comparisons: { tried: 0, refused: 0, of: 0 },
      unplayed: 0,
      silent: [],
      cannot: ["repeated"],
      sentences: ["6 of 6 plans of one perturbation were tried."],
    },
    plans: 6,
    runs: 12,
    seconds: 1.5,
    seed: 17,
    ended: "done",
    clean: [],
    evidence: new Map([
      [found, { clean: { ...record, trace: clean }, otherClean: [], run: { ...record, trace: run } }],
    ]),
  };
};

const options = { scenario: "widgets", version: "0.1.0", pathOf: (name: string) => `findings/${name}` };
const report = (fault?: Partial<Fault>): ExplorationReport => explorationReport(explorationOf(fault), options);

describe("the report of a finding on a terminal", () => {
  it("shows both runs side by side, what differs, what the program knew, and how to play it again", () => {
    expect(findingLines(findingReport(evidence), { paint: plain, columns: 112 }).join("\n")).toMatchInlineSnapshot(`
      "After operator was killed between its create of Secret default/a-cert and the next write, it never made
      ConfigMap default/a-config.
      fault, object missing, ConfigMap default/a-config, shown 3 of 3 times, seed 17

      What went wrong
        - operator is killed after it created Secret default/a-cert; the response is lost

      Steps
        1. create Widget default/a

      Time line: the clean run, and this run
        0s       operator starts                              | 0s       operator starts
        10ms     step: create Widget default/a                | 10ms     step: create Widget default/a
        11ms     user created Widget.x.io default/a           | 11ms     user created Widget.x.io default/a
        11ms     operator sees Widget.x.io default/a added    | 11ms     operator sees Widget.x.io default/a added
        12ms     operator created Secret default/a-cert       | 12ms     operator created Secret default/a-cert; its…
                                                              | 12ms     operator is killed
                                                              | 1.012s   operator starts
                                                              | 11ms     operator sees Widget.x.io default/a added
        12ms     operator sees Secret default/a-cert added    | 12ms     operator sees Secret default/a-cert added
        13ms     operator created ConfigMap default/a-config  >
        13ms     operator sees ConfigMap default/a-config ad… |

      The first write that differs
        operator created ConfigMap default/a-config: only in the clean run
        + apiVersion: v1
        + data:
        +   size: "3"
        + kind: ConfigMap
        + metadata:
        +   name: a-config
        +   namespace: default

      Expected (-) and found (+)
        - data:
        -   size: "3"
        - kind: ConfigMap

      What operator knew at the end
        Widget.x.io default/a: it had seen the last one, revision 11 (created)
        Secret default/a-cert: it had seen the last one, revision 12 (created)

      Who owns it
        ConfigMap default/a-config .data.size: operator (Update)

      Play it again
        keelson explore --replay missing-configmap-a-config.yaml --trust"
    `);
  });

  it("shows one column with signs where the terminal is narrow, and is never wider but for commands", () => {
    for (const columns of [30, 61, 89, 90, 150]) {
      const lines = findingLines(findingReport(evidence), { paint: plain, columns });
      const wide = lines.filter((line) => widthOf(line) > columns && !line.includes("keelson explore"));
      expect(wide, `${columns}`).toEqual([]);
      expect(lines.some((line) => line.includes(" | "))).toBe(columns >= 90);
      expect(lines.some((line) => line.startsWith("  - 13ms "))).toBe(columns < 90);
    }
  });

  it("has the same text with and without colours", () => {
    const coloured = findingLines(findingReport(evidence), { paint: painter(true), columns: 100 }).join("\n");
    expect(coloured).toContain("\u001b[31m");
    // eslint-disable-next-line no-control-regex
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(
      findingLines(findingReport(evidence), { paint: plain, columns: 100 }).join("\n"),
    );
  });

  it("leaves out what is alike and far from the difference, and says how much", () => {
    const steps = Array.from({ length: 200 }, (_, i) => change("operator", "Secret", `s${i}`, 100 + i));
    const last = change("operator", "ConfigMap", "last", 400);
    const lines = findingLines(findingReport({ ...evidence, clean: traceOf(...steps, last), run: traceOf(...steps) }), {
      paint: plain,
      columns: 100,
    });
    expect(lines).toContain("  … 198 writes left out");
    expect(lines.length).toBeLessThan(60);
  });

  it("bounds the rows around the first difference", () => {
    const extra = Array.from({ length: 300 }, (_, i) => change("operator", "Secret", `s${i}`, 100 + i));
    const lines = findingLines(findingReport({ ...evidence, clean: traceOf(), run: traceOf(...extra) }), {
      paint: plain,
      columns: 100,
    });
    expect(lines).toContain("  … 272 writes left out");
    expect(lines.find((line) => line.includes(" > "))).toContain("operator created Secret default/s0");
  });

  it("aligns generated names, which differ from run to run", () => {
    const pod = (name: string) => {
      const after = stored("Pod", name, 12);
      return change("operator", "Pod", name, 12, {
        after: { ...after, metadata: { ...after.metadata, generateName: "web-" } },
      });
    };
    const { timeLine, difference } = findingReport({
      ...evidence,
      clean: traceOf(pod("web-abcde")),
      run: traceOf(pod("web-x8k2p")),
    });
    expect(timeLine).toHaveLength(1);
    expect(timeLine[0]).toMatchObject({
      clean: { text: "operator created Pod default/web-abcde" },
      run: { text: "operator created Pod default/web-x8k2p" },
    });
    expect(difference).toBeUndefined();
  });

  it("compares two writes of an object line by line, and names who owns the members that differ", () => {
    const write = (size: string) =>
      change("operator", "ConfigMap", "a", 12, { after: stored("ConfigMap", "a", 12, { data: { crt: "x", size } }) });
    const { difference, owners, replay } = findingReport({
      ...evidence,
      clean: traceOf(write("3")),
      run: traceOf(write("1")),
    });
    expect(difference).toMatchObject({ where: "both", text: "operator created ConfigMap default/a" });
    expect(difference!.lines.filter(({ sign }) => sign === "-" || sign === "+")).toEqual([
      { sign: "-", text: '  size: "3"' },
      { sign: "+", text: '  size: "1"' },
    ]);
    expect(owners).toEqual([
      {
        object: "ConfigMap default/a",
        path: ".data.size",
        owners: [{ manager: "operator", operation: "Update", time: "2030-01-01T00:00:01Z" }],
      },
    ]);
    expect(replay.until).toContain("--until 1");
  });

  it("counts the writes before the one that differs, also those without a response", () => {
    const extra = traceOf(
      ...run.filter(({ type }) => type !== "step").map(({ seq: _seq, ...entry }) => entry),
      change("operator", "Pod", "extra", 40),
    );
    expect(findingReport({ ...evidence, run: extra, clean: run }).replay.until).toContain("--until 2");
  });

  it("counts a write that was handled late where it was sent", () => {
    const [lost, handled] = [false, true].map((changed) => ({
      type: "request" as const,
      at: 12,
      actor: "operator",
      life: 0,
      protocol: "api" as const,
      verb: "create",
      object: { group: "", kind: "Secret", namespace: "default", name: "late" },
      changed,
    }));
    const late = change("operator", "Secret", "late", 40);
    const extra = change("operator", "Pod", "extra", 41);
    const others = clean.filter(({ type }) => type !== "step").map(({ seq: _seq, ...entry }) => entry);
    const untilOf = (trace: Trace) => findingReport({ ...evidence, run: trace }).replay.until;
    expect(untilOf(traceOf(lost!, ...others, late, handled!))).toContain("--until 1");
    // Three were sent: the late one, the Secret and the ConfigMap.
    const known = traceOf(...others, late);
    const { replay } = findingReport({
      ...evidence,
      clean: known,
      run: traceOf(lost!, ...others, late, handled!, extra),
    });
    expect(replay.until).toContain("--until 4");
  });

  it("puts a change before its deliveries, although a watch may be faster than the record", () => {
    const [delivered] = clean
      .filter(({ type, seq }) => type === "delivery" && seq > 4)
      .map(({ seq: _seq, ...entry }) => entry);
    const trace = traceOf(delivered!, change("operator", "Secret", "a-cert", 12));
    const { timeLine } = findingReport({ ...evidence, clean: trace, run: trace });
    expect(timeLine.map((row) => row.run!.text)).toEqual([
      "operator created Secret default/a-cert",
      "operator sees Secret default/a-cert added",
    ]);
  });

  it("says of a run without perturbations that nothing was perturbed, in one column", () => {
    const lines = findingLines(findingReport({ ...evidence, finding: { ...finding, plan: [] }, run: clean }), {
      paint: plain,
      columns: 120,
    });
    expect(lines).toEqual(expect.arrayContaining(["Nothing was perturbed", "Time line"]));
  });

  it("does not pass control characters of others on", () => {
    const sentence = "a\u001b[2J\u0007\nb";
    const hostile = { ...finding, fault: { ...finding.fault, sentence, found: "x\u001b]0;\u0007" } };
    const output = [{ actor: "operator\u001b[1m", lines: ["\u001b[2J"] }];
    const text = findingLines(findingReport({ ...evidence, finding: hostile, output }), { paint: plain, columns: 100 });
    // eslint-disable-next-line no-control-regex
    expect(text.filter((line) => /[\u0000-\u001f\u007f-\u009f]/.test(line))).toEqual([]);
  });
});

describe("the summary", () => {
  it("says what was found, where its file is, what was tried and what was not", () => {
    const text = formatReport(report(), "text", { width: 100 });
    expect(text.slice(text.indexOf("Exploration of"))).toMatchInlineSnapshot(`
      "Exploration of widgets
      1 fault and 0 notices in 6 plans and 12 runs within 1.5 s, seed 17.
      All that was worth trying was tried.
      6 of 6 plans of one perturbation were tried.
      Not possible here: repeated.
      fault: After operator was killed between its create of Secret default/a-cert and the next write, it
      never made ConfigMap default/a-config.
        findings/missing-configmap-a-config.yaml

      PERTURBATION  WORTH TRYING  TRIED  CAME UP
      crash                    6      6        5

      Writes at which nothing was tried:
        operator: create of ConfigMap default/a-config"
    `);
  });
});

/** The elements of a document: each tag is closed, each attribute quoted. */
function elementsOf(text: string, empty: readonly string[] = []): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  let rest = text.replace(/^<\?xml [^>]*\?>|^<!doctype html>/, "");
  for (let at = rest.indexOf("<"); at >= 0; at = rest.indexOf("<")) {
    expect(rest.slice(0, at)).not.toMatch(/>|&(?!(?:amp|lt|gt|quot|#39);)/);
    const tag = /^<(\/?)([a-z][a-z0-9-]*)((?: [a-zA-Z-]+="[^"<>]*")*)(\/?)>/.exec(rest.slice(at));
    if (!tag) throw new Error(`expected a tag: ${rest.slice(at, at + 80)}`);
    const [whole, close, name = "", , isEmpty] = tag;
    if (close) {
      if (open.pop() !== name) throw new Error(`expected another end than that of ${name}`);
    } else {
      seen.push(name);
      if (!isEmpty && !empty.includes(name)) open.push(name);
    }
    rest = rest.slice(at + whole.length);
    if (name === "style" && !close) rest = rest.slice(rest.indexOf("</style>"));
  }
  expect(open).toEqual([]);
  return seen;
}

const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\u0000\u001b[2J\ud800]]>--><!--\u009b2J\u202e\u2066`;

const hostileReport = (): ExplorationReport => {
  const exploration = explorationOf();
  const found = {
    ...finding,
    scenario: { name: HOSTILE, file: HOSTILE },
    plan: [{ type: "slow-webhooks", actor: HOSTILE, byMillis: 1 }],
    command: [HOSTILE],
    fault: {
      ...finding.fault,
      sentence: HOSTILE,
      key: HOSTILE,
      path: HOSTILE,
      expected: HOSTILE,
      found: HOSTILE,
      object: { group: HOSTILE, kind: HOSTILE, namespace: HOSTILE, name: HOSTILE },
    },
  } as const;
  const trace = traceOf(
    { type: "step", at: 0, step: 0, name: HOSTILE, phase: "begun" },
    change(HOSTILE, HOSTILE, HOSTILE, 12, {
      after: stored(HOSTILE, HOSTILE, 12, { data: { crt: HOSTILE, [HOSTILE]: HOSTILE } }),
    }),
  );
  const record = { order: { seed: 17, plan: [] }, states: [], complaints: [], met: [], restlessWrites: 0 };
  const writes = [{ actor: HOSTILE, write: HOSTILE, perturbations: {} }];
  return explorationReport(
    {
      ...exploration,
      findings: [found],
      notices: [found],
      coverage: { ...exploration.coverage, writes, sentences: [HOSTILE] },
      evidence: new Map([
        [found, { clean: { ...record, trace: traceOf() }, otherClean: [], run: { ...record, trace } }],
      ]),
    },
    {
      scenario: HOSTILE,
      version: HOSTILE,
      pathOf: () => HOSTILE,
      outputOf: () => [{ actor: HOSTILE, lines: [HOSTILE] }],
      skipped: [{ path: HOSTILE, why: HOSTILE }],
    },
  );
};

describe("the page", () => {
  const empty = ["meta"];

  it("has all of the report, and no script", () => {
    const page = formatReport(report(), "html");
    const elements = elementsOf(page, empty);
    expect(elements).not.toContain("script");
    expect(page).toContain("default-src 'none'");
    expect(page).toContain("prefers-color-scheme: dark");
    for (const text of [
      "operator sees Secret default/a-cert added",
      "--replay findings/missing-configmap-a-config.yaml",
      "What operator knew",
      "is killed after it created Secret",
      "By writes",
      "not reachable",
    ]) {
      expect(page).toContain(text);
    }
  });

  it("does nothing with hostile names", () => {
    const page = formatReport(hostileReport(), "html");
    expect(new Set(elementsOf(page, empty))).toEqual(
      new Set(elementsOf(page, empty).filter((name) => !["script", "img"].includes(name))),
    );
    expect(page).not.toContain("<script");
    expect(page).not.toContain("<img");
    // eslint-disable-next-line no-control-regex
    expect(page).not.toMatch(/[\u0000-\u0008\u001b]/);
  });

  it("scrolls each table by itself, and breaks long names", () => {
    const page = formatReport(report(), "html");
    expect(page.match(/<table>/g)!.length).toBeGreaterThan(2);
    expect(page.replaceAll('<div class="wide"><table>', "")).not.toContain("<table>");
    expect(/^body \{.*\}$/m.exec(page)![0]).toContain("overflow-wrap: anywhere");
  });
});

describe("JUnit", () => {
  it("has a case for the exploration and a failed one for each finding", () => {
    const text = formatReport(report(), "junit");
    expect(elementsOf(text)).toEqual(["testsuites", "testsuite", "testcase", "system-out", "testcase", "failure"]);
    expect(text).toContain('<testsuites name="keelson explore" tests="2" failures="1" time="1.500">');
    expect(text).toContain('<testcase classname="widgets" name="exploration" time="1.500">');
    expect(text).toContain('<failure type="missing" message="After operator was killed');
    expect(text).toContain("6 of 6 plans of one perturbation were tried.");
  });

  it("is a document whatever others write", () => {
    const text = formatReport(hostileReport(), "junit");
    expect(elementsOf(text)).toEqual([
      "testsuites",
      "testsuite",
      "testcase",
      "system-out",
      "testcase",
      "failure",
      "testcase",
      "system-out",
    ]);
    // What XML 1.0 forbids.
    expect(text.isWellFormed()).toBe(true);
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  });
});

describe("SARIF", () => {
  interface Log {
    version: string;
    runs: {
      tool: { driver: { name: string; rules: { id: string; shortDescription: { text: string } }[] } };
      results: {
        ruleId: string;
        ruleIndex: number;
        level: string;
        message: { text: string };
        locations: { physicalLocation: { artifactLocation: { uri: string }; region: Record<string, number> } }[];
        partialFingerprints: Record<string, string>;
        properties: Record<string, unknown>;
      }[];
    }[];
  }
  const logOf = (of: ExplorationReport, location?: string): Log =>
    JSON.parse(formatReport(of, "sarif", location === undefined ? {} : { location })) as Log;

  it("has what code scanning requires: rules, results, a relative place, fingerprints", () => {
    const { version, runs } = logOf(report());
    const [{ tool, results }] = runs as [Log["runs"][number]];
    expect(version).toBe("2.1.0");
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(["missing"]);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      ruleId: "missing",
      ruleIndex: 0,
      level: "error",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "widgets.yaml" },
            region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
          },
        },
      ],
      partialFingerprints: {
        primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{32}:1$/) as string,
        "keelsonFault/v1": expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      },
      properties: {
        seed: 17,
        plan: finding.plan,
        replayed: { shown: 3, of: 3 },
        file: "findings/missing-configmap-a-config.yaml",
      },
    });
    expect(results[0]!.message.text).toContain("--replay findings/missing-configmap-a-config.yaml");
  });

  it("takes the place from outside, and escapes it", () => {
    const uriOf = (log: Log): string => log.runs[0]!.results[0]!.locations[0]!.physicalLocation.artifactLocation.uri;
    expect(uriOf(logOf(report(), "test/a scenario.yaml"))).toBe("test/a%20scenario.yaml");
    const uri = uriOf(logOf(hostileReport()));
    expect(new URL(uri, "https://example.com/base/").origin).toBe("https://example.com");
  });

  it("keeps the fingerprint of a fault whatever its sentence says", () => {
    const fingerprint = (fault: Partial<Fault>): unknown =>
      logOf(report(fault)).runs[0]!.results[0]!.partialFingerprints;
    expect(fingerprint({ sentence: "another" })).toEqual(fingerprint({}));
    const [another, first] = [fingerprint({ key: "another" }), fingerprint({})] as Record<string, string>[];
    // GitHub reads the first of them alone.
    for (const name of ["primaryLocationLineHash", "keelsonFault/v1"]) expect(another![name]).not.toBe(first![name]);
  });
});

describe("a test to paste", () => {
  const inProcess = () => {
    const { command: _command, ...rest } = finding;
    return findingReport({ ...evidence, finding: rest }).tests;
  };

  it("plays the finding again in process, and is the same finding", () => {
    const { vitest: text = "", "node:test": other } = inProcess();
    expect(text).toContain('import { it } from "vitest";');
    expect(text).toContain("await replay(scenario, { controllers }, finding)");
    const source = /const finding: Finding = (\{[\s\S]*\});/.exec(text)![1]!;
    const { command: _command, ...rest } = finding;
    expect(JSON.parse(source)).toEqual(rest);
    expect(other).toBe(text.replace('"vitest"', '"node:test"'));
  });

  it("stands in the report for a terminal where no command could play it", () => {
    const { command: _command, ...rest } = { ...finding, scenario: { name: "code" } };
    const lines = findingLines(findingReport({ ...evidence, finding: rest }), { paint: plain, columns: 80 });
    expect(lines.slice(-3, -1)).toEqual([
      "Play it again",
      "  In a test: await replay(scenario, { controllers }, finding), with",
    ]);
    expect(JSON.parse(/^ {2}const finding = (.*);$/.exec(lines.at(-1)!)![1]!)).toEqual(rest);
  });

  it("is a command for programs", () => {
    expect(findingReport(evidence).tests.shell!.split("\n")).toEqual([
      `# ${finding.fault.sentence}`,
      "# The exit code is 1 while it shows.",
      "keelson explore --replay missing-configmap-a-config.yaml --trust",
      "",
    ]);
  });

  it("does nothing with hostile names", () => {
    const hostile = findingReport({
      ...evidence,
      file: "$(reboot)'; reboot",
      finding: { ...finding, fault: { ...finding.fault, sentence: "a\nreboot" } },
    });
    const lines = hostile.tests.shell!.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[2]).toBe("keelson explore --replay '$(reboot)'\\''; reboot' --trust");
  });
});

it("an exploration that could not go on has its findings, and says why in each form", () => {
  const failure = new Error("a run could not be played: no such program");
  const failed = explorationReport({ ...explorationOf(), ended: "failed", failure }, options);
  expect([failed.findings.length, failed.failure]).toEqual([1, failure.message]);
  for (const form of ["text", "json", "junit", "sarif", "html"] as const)
    expect(formatReport(failed, form).replaceAll(/\s+/g, " ")).toContain(failure.message);
  expect(formatReport(failed, "junit")).toContain(`errors="1" skipped="0" tests="2" failures="1"`);
  expect(elementsOf(formatReport(failed, "junit"))).toContain("error");
  const sarif = JSON.parse(formatReport(failed, "sarif")) as { runs: { invocations: unknown[] }[] };
  expect(sarif.runs[0]!.invocations).toMatchObject([{ executionSuccessful: false }]);
  const whole = JSON.parse(formatReport(report(), "sarif")) as typeof sarif;
  expect(whole.runs[0]!.invocations).toEqual([{ executionSuccessful: true }]);
});

it("a notice is no failure of JUnit, and a note of SARIF", () => {
  const exploration = explorationOf();
  const notice = { ...finding, fault: { ...finding.fault, severity: "notice" } } as const;
  const [shown] = exploration.evidence.values();
  const of = explorationReport(
    { ...exploration, findings: [], notices: [notice], evidence: new Map([[notice, shown!]]) },
    options,
  );
  expect(formatReport(of, "junit")).toContain(
    '<testsuites name="keelson explore" tests="2" failures="0" time="1.500">',
  );
  expect(formatReport(of, "sarif")).toContain('"level": "note"');
});

it("says what of a driver is not judged", () => {
  const { summary } = explorationReport(explorationOf(), { ...options, notJudged: ["the data of volumes"] });
  expect(summary).toContain("Not judged: the data of volumes.");
  expect(report().summary.join()).not.toContain("Not judged");
});

it.each(["text", "json", "junit", "sarif", "html"] as const)(
  "no form gives a terminal something to obey: %s",
  (form) => {
    expect(formatReport(hostileReport(), form)).not.toMatch(
      // oxlint-disable-next-line no-control-regex -- what a terminal obeys
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
    );
  },
);

it("JSON is the same for a program", () => {
  const hostile = hostileReport();
  expect(JSON.parse(formatReport(hostile, "json"))).toEqual(JSON.parse(JSON.stringify(hostile)));
});
