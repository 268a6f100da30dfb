import type { DefinitionFactory } from "../../../schema/definition.ts";
import { persistentVolume } from "./persistent-volume.ts";
import { persistentVolumeClaim } from "./persistent-volume-claim.ts";
import { pod } from "./pod.ts";

/** The kinds of the core group that are about volumes: PersistentVolume, PersistentVolumeClaim and Pod. */
export const volumesGroup: DefinitionFactory = (ctx) => [persistentVolume(ctx), persistentVolumeClaim(ctx), pod(ctx)];
