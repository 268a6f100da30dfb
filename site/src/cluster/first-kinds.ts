/**
 * The kinds with which a cluster in a page begins: those that a server itself reads, and the groups that pages begin with. It stands
 * for `kinds/index.ts`, and `later-kinds.ts` has the other groups, which are loaded meanwhile.
 *
 * @module
 */
import { customResourceDefinition } from "../../../src/kinds/apiextensions/v1/customresourcedefinition.ts";
import { appsGroup } from "../../../src/kinds/apps/v1/index.ts";
import { authenticationGroup } from "../../../src/kinds/authentication/v1/group.ts";
import { authorizationGroup } from "../../../src/kinds/authorization/v1/group.ts";
import { coordinationGroup } from "../../../src/kinds/coordination/index.ts";
import { coreGroup, otherCoreKinds } from "../../../src/kinds/core/v1/index.ts";
import { event } from "../../../src/kinds/events/v1/event.ts";
import { networkingGroup } from "../../../src/kinds/networking/v1/index.ts";
import { rbacGroup } from "../../../src/kinds/rbac/v1/index.ts";
import { schedulingGroup } from "../../../src/kinds/scheduling/v1/priority-class.ts";
import type { ApiContext, DefinitionFactory, ResourceDefinition } from "../../../src/schema/definition.ts";

const FIRST: readonly DefinitionFactory[] = [
  coreGroup,
  authenticationGroup,
  authorizationGroup,
  rbacGroup,
  coordinationGroup,
  (ctx) => [event(ctx)],
  otherCoreKinds,
  // The server asks once, at its start, whether there are definitions.
  () => [customResourceDefinition()],
  appsGroup,
  // Objects that are there from the start: the Service of the server with its network, and the system priorities.
  networkingGroup,
  schedulingGroup,
];

/** The definitions of the first groups. */
export const builtInDefinitions = (ctx: ApiContext): readonly ResourceDefinition[] =>
  FIRST.flatMap((group) => group(ctx));
