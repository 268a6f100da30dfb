/**
 * A run of a small operator for tests: of a Widget it makes a Secret, a ConfigMap that names the Secret, two Pods with generated names,
 * and a status; then the user changes the Widget.
 *
 * @module
 */
import type { Plan } from "../../contract/plan.ts";
import type { StoredObject } from "../../contract/state.ts";
import { RecordedRun, type Sent } from "./recorded-run.ts";

/** The variations of the run. */
export interface Variation {
  readonly plan?: Plan;
  /** Called where the operator would make an object; makes another one, or none. */
  readonly make?: (run: RecordedRun, sent: Sent, usual: () => void) => void;
  /** Called before a step is at rest. */
  readonly beforeQuiet?: (run: RecordedRun, step: number) => void;
  /** Called after the last step, before the long quiet is over. */
  readonly inQuiet?: (run: RecordedRun) => void;
  /** The pause of each step, in ms; 5 min by default. */
  readonly pauseMillis?: number;
  /** Half of the quiet at the end, in ms; 12 h by default. */
  readonly halfMillis?: number;
}

const WIDGET = { apiVersion: "example.com/v1", kind: "Widget" };
export const OPERATOR = "operator";

const owned = (owner: StoredObject) => ({
  ownerReferences: [
    { ...WIDGET, name: owner.metadata.name, uid: owner.metadata.uid, controller: true, blockOwnerDeletion: true },
  ],
});

/** Plays the run. */
export function operatorRun(
  seed: number,
  { plan, make, beforeQuiet, inQuiet, pauseMillis, halfMillis = 43_200_000 }: Variation = {},
): RecordedRun {
  const run = new RecordedRun(seed, plan);
  const create = (sent: Sent): void => {
    const usual = (): void => void run.create(OPERATOR, sent);
    if (make) make(run, sent, usual);
    else usual();
  };
  run.life(OPERATOR, 0, "started");
  run.list(OPERATOR, { group: "example.com", kind: "Widget" });
  run.begin("create the Widget");
  const widget = run.create("user", { ...WIDGET, metadata: { name: "a" }, spec: { size: 2, colour: "red" } });
  run.deliver(OPERATOR, widget);
  create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "a-cert", ...owned(widget), finalizers: ["x.io/a", "x.io/b"] },
    data: { key: `random ${run.suffix()}`, fixed: "yes" },
  });
  create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a-config", ...owned(widget), labels: { app: "a" } },
    data: { secret: "a-cert", of: widget.metadata.uid, at: run.time(), size: "2" },
  });
  for (const zone of ["one", "two"])
    create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { generateName: "a-", ...owned(widget) },
      spec: {
        zone,
        containers: [
          { name: "app", image: "x:1" },
          { name: "side", image: "y:1" },
        ],
        args: ["1", "2"],
      },
      status: { phase: "Running", podIP: `10.0.0.${run.all("Pod").length + 5}` },
    });
  run.update(
    OPERATOR,
    widget,
    {
      status: {
        observedGeneration: 1,
        pods: run.all("Pod").map(({ metadata }) => metadata.name),
        seen: run.get("Widget", "a").metadata.resourceVersion,
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: run.time() }],
      },
    },
    { subresource: "status" },
  );
  beforeQuiet?.(run, 0);
  run.quiet(pauseMillis);
  run.begin("change the Widget");
  const changed = run.update("user", widget, { spec: { size: 2, colour: "blue" } });
  run.deliver(OPERATOR, changed, "MODIFIED");
  const status = changed["status"] as object;
  run.update(
    OPERATOR,
    changed,
    { status: { ...status, observedGeneration: 2, colour: "blue" } },
    { subresource: "status" },
  );
  beforeQuiet?.(run, 1);
  run.quiet(pauseMillis);
  run.begin("quiet");
  run.pass(halfMillis + 100);
  inQuiet?.(run);
  run.quiet(halfMillis);
  return run;
}
