/** What waits for the clock is no work: also a reader of a watch, and Events behind one that is held. */
import { afterEach, expect, test } from "vitest";
import { ConfigMap, Lease, Secret } from "../../client/kinds/index.ts";
import { defineController } from "../../runtime/index.ts";
import {
  asks,
  asking,
  closeLaboratories,
  createSecret,
  mainOf,
  openLaboratory,
  playPlan,
} from "./testing/certificates.ts";
import type { ProgramContext } from "./scenario.ts";

afterEach(closeLaboratories);

const SLOW = { type: "slow-webhooks", actor: "operator", byMillis: 29_000 } as const;

/** Responds to each ConfigMap that asks with a Secret, in the loop that reads. */
async function respondToEach({ client }: ProgramContext, wait: () => Promise<void> = async () => {}): Promise<void> {
  for await (const { type, object } of client.resource(ConfigMap).watch({ namespace: "default" })) {
    if (type !== "ADDED" || object.metadata.labels?.["asks"] === undefined) continue;
    await wait();
    await client.resource(Secret).create({ metadata: { namespace: "default", generateName: "cert-" } });
  }
}

const secretsOf = ({ states }: Awaited<ReturnType<typeof playPlan>>): number =>
  states[0]!.state.objects.filter(({ kind }) => kind === "Secret").length;

test("a watch whose handler awaits a slow write comes to rest", async () => {
  const run = await playPlan([SLOW], mainOf(respondToEach));
  expect([run.complaints, run.met, secretsOf(run)]).toEqual([[], [true], 1]);
});

test("a watch whose handler waits for the clock comes to rest", async () => {
  const main = mainOf((context) =>
    respondToEach(context, () => new Promise((resolve) => void context.clock.after(60_000, resolve))),
  );
  const run = await playPlan([], main);
  expect([run.complaints, secretsOf(run)]).toEqual([[], 1]);
});

test("events behind one that is held by the clock are no work", async () => {
  const noisy = () =>
    defineController({
      name: "certificates",
      for: asks,
      async reconcile({ events }) {
        events.normal("Seen", "first");
        events.normal("Seen", "second");
      },
    });
  const run = await playPlan([SLOW], { controllers: noisy });
  expect([run.complaints, run.met]).toEqual([[], [true]]);
});

/** Creates or takes a Lease, renews it, and does its work only while it holds it. */
function electing({ client, clock }: ProgramContext, identity: string): Promise<void> {
  const leases = client.resource(Lease);
  const key = { namespace: "default", name: "operator" };
  const pause = (): Promise<void> => new Promise((resolve) => void clock.after(2000, resolve));
  const take = async (): Promise<boolean> => {
    const renewTime = `${new Date(clock.now()).toISOString().slice(0, -1)}000Z`;
    const spec = { holderIdentity: identity, leaseDurationSeconds: 15, renewTime };
    const found = await leases.find(key);
    if (!found) return leases.create({ metadata: key, spec }).then(() => true);
    const { holderIdentity, renewTime: renewed = "" } = found.spec;
    if (holderIdentity !== identity && clock.now() - Date.parse(renewed) < 15_000) return false;
    return leases.update({ ...found, spec }).then(() => true);
  };
  const lead = async (): Promise<void> => {
    while (!(await take())) await pause();
    void respondToEach({ client, clock } as ProgramContext);
    for (; ; await pause()) if (!(await take())) throw new Error("leader election lost");
  };
  return lead();
}

test(
  "a leadership changes hands also where a function takes part in an election by itself",
  { timeout: 120_000 },
  async () => {
    let replica = 0;
    const lab = await openLaboratory(
      mainOf((context) => electing(context, `replica-${replica++}`)),
      { ...asking, steps: asking.steps.slice(0, 1), pause: "1m" },
    );
    expect(lab.perturbations.has("lead-changes")).toBe(false);
    const clean = await lab.run({ seed: 1, plan: [], brief: true });
    expect(lab.perturbations.has("lead-changes")).toBe(true);
    const lives = ({ trace }: typeof clean) =>
      trace.flatMap((one) => (one.type === "life" ? [`${one.life} ${one.event}`] : []));
    expect([clean.complaints, lives(clean)]).toEqual([[], ["0 started", "0 leading"]]);
    const run = await lab.run({ seed: 1, plan: [{ type: "lead-changes", at: createSecret }], brief: true });
    expect(run.met).toEqual([true]);
    expect(lives(run).slice(0, 6)).toEqual([
      "0 started",
      "0 leading",
      "1 started",
      "1 leading",
      "0 not leading",
      "0 exited",
    ]);
    // Both have seen the ConfigMap.
    expect(secretsOf(run)).toBe(2);
  },
);

test("each start of a function has other random numbers, and each run of a seed the same", async () => {
  const drawn: number[] = [];
  const program = mainOf(async ({ client, random }) => {
    drawn.push(random!.next());
    await respondToEach({ client } as ProgramContext);
  });
  const lab = await openLaboratory(program);
  const plan = [{ type: "crash", at: createSecret, when: "after", downMillis: 1000 } as const];
  for (let i = 0; i < 2; i++) await lab.run({ seed: 1, plan, brief: true });
  const [first, second, ...again] = drawn;
  expect(again).toEqual([first, second]);
  expect(first).not.toBe(second);
});
