/**
 * Which webhook, policy or plugin sets a value that no manager owns: fields that admission adds have no manager.
 *
 * The server does not record that. A dry run of a create, of the object without these values, shows what sets them now.
 *
 * @module
 */
import type { Client } from "../client.ts";
import type { Kind, UntypedObject } from "../kind.ts";
import type { AdmissionReport, ReportedStep } from "../../meta/admission-report.ts";
import type { ReportedChange } from "../../meta/history-report.ts";
import type { BlameReport, ReportedSetter } from "../../meta/ownership-reports.ts";
import { parsePointer } from "../../value/pointer.ts";
import { type Value, equal, isObject } from "../../value/value.ts";

/** Members that admission does not set for a client: of metadata, and of the object. */
const OWN = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"];
const IDENTITY = new Set(["apiVersion", "kind", "status"]);
const SERVER = new Set([...OWN, "name", "namespace", "deletionTimestamp", "deletionGracePeriodSeconds"]);

type Leaf = BlameReport["leaves"][number];

/** The report, with who sets each value that has no owner, where a dry run of the same object shows it. */
export async function withSetters(
  client: Client,
  kind: Kind<UntypedObject>,
  report: BlameReport,
): Promise<BlameReport> {
  const unowned = report.leaves.filter(isUnowned);
  if (unowned.length === 0) return report;
  const { name, namespace } = report.object;
  const resource = client.resource(kind);
  const explained = await resource
    .get(namespace === undefined ? { name } : { name, namespace })
    .then((object) => resource.explainWrite(without(object, unowned), { operation: "create" }))
    .catch(() => undefined);
  if (explained?.kind !== "AdmissionReport") return report;
  const setters = settersIn(explained);
  const leaves = report.leaves.map((leaf) => {
    const setBy = isUnowned(leaf) ? setters.findLast((setter) => sets(setter, leaf))?.by : undefined;
    return setBy ? { ...leaf, setBy } : leaf;
  });
  return { ...report, leaves };
}

const isUnowned = ({ managers, pointer }: Leaf): boolean => {
  if (managers.length > 0) return false;
  const [first = "", second = ""] = parsePointer(pointer);
  return !IDENTITY.has(first) && !(first === "metadata" && SERVER.has(second));
};

/** The object as a client would create it, without some leaves. */
function without({ metadata, ...object }: UntypedObject, leaves: readonly Leaf[]): UntypedObject {
  const kept = Object.entries(metadata).filter(([name]) => !OWN.includes(name));
  const { status: _status, ...copy } = structuredClone({ ...object, metadata: Object.fromEntries(kept) }) as Record<
    string,
    unknown
  >;
  // The last items of lists first, so that the positions of the others stay.
  for (const { pointer } of leaves.toReversed()) remove(copy as Value, parsePointer(pointer));
  return copy as unknown as UntypedObject;
}

function remove(from: Value, path: readonly string[]): void {
  const [last = ""] = path.slice(-1);
  const parent = path.slice(0, -1).reduce<Value | undefined>(memberOf, from);
  if (Array.isArray(parent)) (parent as Value[]).splice(Number(last), 1);
  else if (isObject(parent)) delete (parent as Record<string, Value>)[last];
}

function memberOf(value: Value | undefined, token: string): Value | undefined {
  if (Array.isArray(value)) return (value as readonly Value[])[Number(token)];
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

interface Setter {
  readonly by: ReportedSetter;
  readonly change: ReportedChange;
}

/** The values that each webhook, policy and plugin has set, in their order. */
const settersIn = ({ steps }: AdmissionReport): readonly Setter[] => steps.flatMap(settersOf);

function settersOf({ name, changes, rules }: ReportedStep): readonly Setter[] {
  const own = rules.flatMap((rule) =>
    (rule.changes ?? []).map((change) => ({ by: { name: rule.name, source: rule.source }, change })),
  );
  return own.length > 0 ? own : changes.map((change) => ({ by: { name, source: `plugin/${name}` }, change }));
}

/** Whether a change has set a leaf to the value that it has. */
function sets({ change }: Setter, { pointer, value }: Leaf): boolean {
  if (pointer !== change.pointer && !pointer.startsWith(`${change.pointer}/`)) return false;
  const below = parsePointer(pointer.slice(change.pointer.length));
  const made = below.reduce<Value | undefined>(memberOf, change.after);
  return made !== undefined && equal(made, value);
}
