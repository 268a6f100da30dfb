import type { AdmissionReport, ReportedRule, ReportedStep } from "../meta/admission-report.ts";
import type { ReportedChange } from "../meta/history-report.ts";
import { printable } from "./colours.ts";
import type { PrintStyle } from "./print-report.ts";
import { fit } from "../util/width.ts";

/**
 * Returns the lines of an explanation: the result of the write, then each step that did something or has considered rules,
 * with what it changed, then the names of the steps that did nothing.
 */
export function admissionLines(report: AdmissionReport, style: PrintStyle): string[] {
  const { steps, unconcerned } = report;
  const [active, idle] = [steps.filter(isActive), steps.filter((step) => !isActive(step))];
  return [
    headOf(report, style),
    ...active.flatMap((step) => stepLines(step, style)),
    ...(report.changesLeftOut ? [style.paint("dim", "  the object is too large to show what each step changes")] : []),
    ...namesLine(
      "changed and refused nothing",
      idle.map(({ name }) => name),
      style,
    ),
    ...namesLine("do not concern it", unconcerned, style),
  ];
}

const isActive = ({ changes, warnings, refusal, rules }: ReportedStep): boolean =>
  changes.length + warnings.length > 0 || rules.some((rule) => !isElsewhere(rule)) || refusal !== undefined;

function headOf(
  { object, operation, code, failure }: AdmissionReport,
  { paint, columns = Infinity }: PrintStyle,
): string {
  const { kind, name, namespace } = object;
  const what = `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  const outcome = failure
    ? `refused with ${code}: ${failure.message ?? failure.reason ?? ""}`
    : `accepted with ${code}`;
  return paint(
    failure ? "red" : "green",
    fit(printable(`${what}: ${operation || "the write"} is ${outcome}`), columns),
  );
}

function stepLines(
  { name, phase, millis, changes, warnings, refusal, rules }: ReportedStep,
  style: PrintStyle,
): string[] {
  const { paint, columns = Infinity } = style;
  const line = (text: string): string => fit(printable(text), columns);
  return [
    paint("bold", line(`  ${name} (${phase}, ${timeOf(millis)})`)),
    ...rules.filter((rule) => !isElsewhere(rule)).flatMap((rule) => ruleLines(rule, style)),
    ...elsewhereLine(rules.filter(isElsewhere).length, style),
    // The changes of a rule are listed with the rule.
    ...(rules.some((rule) => rule.changes) ? [] : changeLines(changes, "    ", style)),
    ...warnings.map((warning) => paint("yellow", line(`    warning: ${warning}`))),
    ...(refusal ? [paint("red", line(`    refused: ${refusal.message ?? refusal.reason ?? ""}`))] : []),
  ];
}

/** Whether the rules of a webhook or policy are for other requests: there may be many such, and they are of no interest. */
const isElsewhere = ({ matched, why }: ReportedRule): boolean => !matched && why === "resourceRules";

const elsewhereLine = (count: number, { paint }: PrintStyle): string[] =>
  count === 0 ? [] : [paint("dim", `    ${count} with rules about other requests`)];

/** Why a webhook or policy does not match, by the member that decides. */
const MISMATCHES: Readonly<Record<string, string>> = {
  excludeResourceRules: "its excludeResourceRules exclude the request",
  namespaceSelector: "its namespaceSelector does not select the namespace",
  objectSelector: "its objectSelector does not select the object",
};

function ruleLines(
  { source, name, matched, result, why, changes = [], millis }: ReportedRule,
  style: PrintStyle,
): string[] {
  const { paint, columns = Infinity } = style;
  const what = matched ? (result ?? "matched") : "does not match";
  const time = millis === undefined ? "" : ` in ${timeOf(millis)}`;
  const text = `    ${name} of ${source}: ${what}${time}${why === undefined ? "" : `: ${MISMATCHES[why] ?? why}`}`;
  const shown = fit(printable(text), columns);
  return [matched ? shown : paint("dim", shown), ...changeLines(changes, "      ", style)];
}

const SIGNS = { add: "+", remove: "-", replace: "~" } as const;
const COLOURS = { add: "green", remove: "red", replace: "yellow" } as const;

const changeLines = (
  changes: readonly ReportedChange[],
  indent: string,
  { paint, columns = Infinity }: PrintStyle,
): string[] =>
  changes.map(({ op, pointer, before, after }) => {
    const value = op === "remove" ? before : after;
    return paint(COLOURS[op], fit(printable(`${indent}${SIGNS[op]} ${pointer}: ${JSON.stringify(value)}`), columns));
  });

const namesLine = (what: string, names: readonly string[], { paint }: PrintStyle): string[] =>
  names.length === 0 ? [] : [paint("dim", printable(`  ${what}: ${[...new Set(names)].join(", ")}`))];

/** A duration: `0.4 ms`. */
const timeOf = (millis: number): string => `${millis.toFixed(1)} ms`;
