/**
 * The built-in kinds: one folder per group and version, one file per kind, one definition object each.
 *
 * A definition is data and pure functions (see `definition.ts`); nothing here knows of storage, HTTP or other requests.
 * What is derived from schemas is in `walker.ts`.
 *
 * @module
 */
import { authenticationGroup } from "./authentication/v1/group.ts";
import { authorizationGroup } from "./authorization/v1/group.ts";
import { coordinationGroup } from "./coordination/index.ts";
import { coreGroup } from "./core/v1/core-group.ts";
import { volumesGroup } from "./core/v1/volumes-group.ts";
import type { ApiContext, DefinitionFactory, ResourceDefinition } from "../schema/definition.ts";
import { event } from "./events/v1/event.ts";
import { storageGroup } from "./storage/v1/index.ts";
import { storageMigrationGroup } from "./storagemigration/index.ts";

const GROUPS: readonly DefinitionFactory[] = [
  coreGroup,
  volumesGroup,
  authenticationGroup,
  authorizationGroup,
  coordinationGroup,
  (ctx) => [event(ctx)],
  storageGroup,
  storageMigrationGroup,
];

/** Every built-in kind of a dialect, those that are not served (`served: false`) included. */
export const builtInDefinitions = (ctx: ApiContext): readonly ResourceDefinition[] =>
  GROUPS.flatMap((group) => group(ctx));
