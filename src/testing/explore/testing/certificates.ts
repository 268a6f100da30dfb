/**
 * An operator for tests: a ConfigMap with the label `asks=certificate` gets a Secret and is marked as ready.
 *
 * @module
 */
import { ConfigMap, Secret } from "../../../client/kinds/index.ts";
import type { RunOrder, RunRecord } from "../../../explore/contract/laboratory.ts";
import type { DeliveryPoint, Plan, RequestPoint } from "../../../explore/contract/plan.ts";
import type { RequestEntry, Trace, TraceEntry } from "../../../explore/contract/trace.ts";
import { type Controller, defineController, sharedInformer } from "../../../runtime/index.ts";
import { InProcessLaboratory } from "../laboratory.ts";
import type { InProcessProgram, ProgramContext, Scenario, StepObject } from "../scenario.ts";

/** The ConfigMaps that request a certificate. */
export const asks = sharedInformer(ConfigMap, { labelSelector: "asks=certificate" });

/** Makes a Secret, then marks the ConfigMap. */
export const certificates = (): Controller =>
  defineController({
    name: "certificates",
    for: asks,
    owns: [Secret],
    async reconcile({ object, owned, create, apply }) {
      if (owned(Secret).length === 0) await create(Secret, { metadata: { generateName: "cert-" }, data: {} });
      await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { ready: "yes" } });
    },
  });

/** The ConfigMap of the scenario. */
export const WEB: StepObject = { apiVersion: "v1", kind: "ConfigMap", name: "web" };

/** Requests a certificate, changes another member, and ends. */
export const asking: Scenario = {
  name: "certificates",
  steps: [
    {
      apply: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "web", namespace: "default", labels: { asks: "certificate" } },
      },
    },
    { patch: { ...WEB, with: { data: { size: "2" } } } },
    { delete: WEB },
  ],
};

const opened: InProcessLaboratory[] = [];

/** Opens a laboratory with one program, `operator`. */
export async function openLaboratory(
  program: InProcessProgram = { controllers: certificates },
  scenario: Scenario = asking,
): Promise<InProcessLaboratory> {
  const made = await InProcessLaboratory.of(scenario, { operator: program });
  opened.push(made);
  return made;
}

/** Plays one plan with one program. */
export async function playPlan(
  plan: Plan,
  program?: InProcessProgram,
  scenario?: Scenario,
  more: Partial<RunOrder> = {},
): Promise<RunRecord> {
  return (await openLaboratory(program, scenario)).run({ seed: 1, plan, ...more });
}

/** Closes the resources of a test. */
export async function closeLaboratories(): Promise<void> {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
}

/** A program that is a function. */
export const mainOf = (main: (context: ProgramContext) => Promise<void>): InProcessProgram => ({ main });

/** Never ends. */
export const forever = (): Promise<void> => new Promise(() => {});

/** The create of the Secret. */
export const createSecret: RequestPoint = {
  actor: "operator",
  protocol: "api",
  verb: "create",
  group: "",
  kind: "Secret",
  namespace: "default",
  name: "cert-*",
  occurrence: 0,
};

/** An event of the ConfigMap. */
export const eventOfWeb = (change: DeliveryPoint["change"], occurrence = 0): DeliveryPoint => {
  return { actor: "operator", group: "", kind: "ConfigMap", namespace: "default", name: "web", change, occurrence };
};

/** A trace as lines for people. */
export const linesOf = (trace: Trace, ...types: readonly TraceEntry["type"][]): readonly string[] =>
  trace.filter(({ type }) => types.includes(type)).map(lineOf);

function lineOf(entry: TraceEntry): string {
  switch (entry.type) {
    case "request":
      return `${entry.actor} ${entry.verb} ${entry.object.kind}${entry.generateName ? ` ${entry.generateName}` : ""} ${entry.code}`;
    case "change":
      return `${entry.actor} ${entry.change} ${entry.object.kind}`;
    case "delivery":
      return `${entry.change} ${entry.object.kind}`;
    case "life":
      return `${entry.actor} ${entry.life} ${entry.event}`;
    case "step":
      return `${entry.step} ${entry.name} ${entry.phase}`;
    case "perturbation":
      return `${entry.phase} ${entry.perturbation}: ${entry.detail}`;
  }
}

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** The requests of the program. */
export const requestsOf = ({ trace }: RunRecord): readonly RequestEntry[] =>
  trace.filter((entry): entry is RequestEntry => entry.type === "request" && entry.actor === "operator");

/** The writes of the program. */
export const writesOf = (run: RunRecord): readonly RequestEntry[] =>
  requestsOf(run).filter(({ verb }) => !READS.has(verb));
