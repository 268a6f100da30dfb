/** The simulation of one cluster. */
import type { Simulation, SimulationHost, SimulationSettings } from "./contract.ts";

/** Creates the simulation of a cluster. */
export function createSimulation(_host: SimulationHost, _settings: SimulationSettings = {}): Simulation {
  throw new Error("expected the simulation to be complete");
}
