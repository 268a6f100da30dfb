/**
 * Sidecars of this process as the programs of a run: each one is killed and started by itself.
 *
 * @module
 */
import type { Actor } from "../../../explore/contract/trace.ts";
import type { Dialect } from "../../../meta/dialect.ts";
import type { Controller } from "../../../runtime/index.ts";
import type { StorageDriver } from "../../../sidecars/contract.ts";
import { SIDECARS, type SidecarName, type SidecarSettings, sidecarsOf } from "../../../sidecars/index.ts";
import type { Clock } from "../../../util/clock.ts";
import { InProcessWorld } from "../in-process.ts";
import type { RunContext, World } from "../world.ts";
import type { CallGate } from "./csi-world.ts";
import { playedDriver } from "./played-driver.ts";

/** A program over a driver: its controllers, created again for each start. */
export type DriverProgram = (driver: StorageDriver, clock: Clock) => readonly Controller[];

/** The capabilities that a driver needs so that a sidecar has work. */
const NEEDS: Readonly<Partial<Record<SidecarName, string>>> = {
  provisioner: "CREATE_DELETE_VOLUME",
  resizer: "EXPAND_VOLUME",
  modifier: "MODIFY_VOLUME",
  snapshotter: "CREATE_DELETE_SNAPSHOT",
  "snapshot-controller": "CREATE_DELETE_SNAPSHOT",
};

/** The sidecars of ours that have work for a driver, each as a program. */
export function sidecarPrograms(
  { abilities }: Pick<StorageDriver, "abilities">,
  dialect: Dialect,
  settings: SidecarSettings = {},
): Readonly<Record<Actor, DriverProgram>> {
  const names = (Object.keys(SIDECARS) as readonly SidecarName[]).filter((name) => {
    const need = NEEDS[name];
    return need === undefined || (abilities as ReadonlySet<string>).has(need);
  });
  const programs = names.map((name): readonly [Actor, DriverProgram] => [
    name,
    (driver, clock) => sidecarsOf(driver, { dialect, clock, settings, only: [name] }),
  ]);
  return Object.fromEntries(programs);
}

/** Our sidecars throw any obstacle, and retry later. Only an error that no retry can solve is a fault of theirs. */
const MISTAKE = /: (?:Type|Range|Reference|Syntax)Error: /;

/** The world of such programs. */
export function sidecarWorld(
  programs: Readonly<Record<Actor, DriverProgram>>,
  driver: StorageDriver,
  { context, gate }: { readonly context: RunContext; readonly gate: CallGate },
): World {
  const { clock } = context.cluster;
  const own = Object.entries(programs).map(([actor, make]) => {
    let life = 0;
    return [actor, { controllers: () => make(playedDriver(driver, gate, { actor, life: life++ }), clock) }] as const;
  });
  const complain: RunContext["complain"] = (complaint) => {
    if (complaint.type !== "failed" || MISTAKE.test(complaint.detail)) context.complain(complaint);
  };
  return new InProcessWorld(Object.fromEntries(own), { ...context, complain });
}
