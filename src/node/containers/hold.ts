/**
 * Containers that never start: a Pod stays `Pending`, and its status says when its volumes are set up.
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import type { Container, ContainerStatus, Containers } from "./contract.ts";

/** The mode `hold`. */
export const holdContainers: Containers = {
  async sync({ spec }: Pod, volumes) {
    const wait = (container: Container): ContainerStatus => waiting(container, volumes ? READY : CREATING);
    return { init: (spec.initContainers ?? []).map(wait), main: spec.containers.map(wait) };
  },
  stop: async () => true,
  ended: () => undefined,
  forget: () => {},
  close: async () => {},
};

type Waiting = NonNullable<ContainerStatus["state"]["waiting"]>;

/** While volumes are missing. */
export const CREATING: Waiting = { reason: "ContainerCreating" };

const READY: Waiting = { reason: "VolumesReady", message: "the volumes are ready; this node runs no containers" };

/** A container that has not started. */
export const waiting = ({ name, image = "" }: Container, why: Waiting): ContainerStatus => ({
  name,
  image,
  imageID: "",
  ready: false,
  started: false,
  restartCount: 0,
  state: { waiting: why },
  lastState: {},
});
