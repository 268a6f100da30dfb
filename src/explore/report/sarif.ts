/**
 * Explorations as SARIF 2.1.0, for code scanning: rules are kinds of faults, a result is a finding or a notice.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { printable } from "../../util/terminal.ts";
import type { FaultKind } from "../contract/finding.ts";
import type { ExplorationReport } from "./exploration-report.ts";
import type { FindingReport } from "./finding-report.ts";
import { faultKinds } from "./kinds.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
/** The beginning of the file: GitHub requires all four, also of a result that has no place in it. */
const BEGINNING = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 } as const;

/**
 * Returns an exploration as a SARIF log. The location of each result is the first line of the scenario's file.
 *
 * @param location the path of the scenario from the root of the repository; that in the finding by default
 */
export function explorationSarif(report: ExplorationReport, location?: string): object {
  const { findings, notices, scenario, version, failure } = report;
  const all = [...findings, ...notices];
  const kinds = [...new Set(all.map(({ finding }) => finding.fault.kind))];
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "keelson explore", semanticVersion: version, rules: kinds.map(ruleOf) },
        },
        automationDetails: { id: `keelson-explore/${uriPart(scenario)}/` },
        invocations: [
          {
            executionSuccessful: failure === undefined,
            ...(failure !== undefined && {
              toolExecutionNotifications: [{ level: "error", message: { text: printable(failure) } }],
            }),
          },
        ],
        columnKind: "utf16CodeUnits",
        results: all.map((one) => resultOf(one, kinds, location)),
        properties: {
          seed: report.seed,
          plans: report.plans,
          seconds: report.seconds,
          coverage: report.coverage.sentences,
        },
      },
    ],
  };
}

const ruleOf = (kind: FaultKind): object => {
  const { title, meaning } = faultKinds[kind];
  return {
    id: kind,
    name: title
      .split(" ")
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join(""),
    shortDescription: { text: title },
    fullDescription: { text: meaning },
    help: { text: meaning },
    defaultConfiguration: { level: "error" },
    properties: { tags: ["controller", "reliability"], precision: "high", "problem.severity": "error" },
  };
};

function resultOf(
  { finding, plan, replay, file }: FindingReport,
  kinds: readonly FaultKind[],
  location?: string,
): object {
  const { fault, seed, steps, replayed } = finding;
  const again = replay.command === undefined ? [] : [`Play it again: ${replay.command}`];
  const message = [fault.sentence, ...plan.map((one) => `- ${one}`), ...again].map(printable).join("\n");
  const uri = location ?? finding.scenario.file ?? file ?? "scenario";
  const fingerprint = createHash("sha256").update(fault.key).digest("hex").slice(0, 32);
  return {
    ruleId: fault.kind,
    ruleIndex: kinds.indexOf(fault.kind),
    level: fault.severity === "fault" ? "error" : "note",
    message: { text: message.toWellFormed() },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(uri) }, region: BEGINNING },
        ...(fault.object && {
          logicalLocations: [{ fullyQualifiedName: printable(nameOf(fault.object)), kind: "resource" }],
        }),
      },
    ],
    // GitHub distinguishes results by this text alone, since all of them have the same line.
    partialFingerprints: { primaryLocationLineHash: `${fingerprint}:1`, "keelsonFault/v1": fingerprint },
    properties: { seed, plan: finding.plan, ...(steps && { steps }), replayed, ...(file !== undefined && { file }) },
  };
}

const nameOf = ({ group, kind, namespace, name }: NonNullable<FindingReport["finding"]["fault"]["object"]>): string =>
  [group, kind, namespace, name].filter(Boolean).join("/");

/** `encodeURIComponent` throws for halves of pairs. */
const uriPart = (text: string): string => encodeURIComponent(text.toWellFormed());

/** A relative reference: parts of a path, each of them escaped. */
const uriOf = (path: string): string => path.replaceAll("\\", "/").split("/").map(uriPart).join("/");
