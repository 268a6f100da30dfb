/** Moves objects by Stages. */
import type { Node, Pod } from "../../client/kinds/index.ts";
import type { CommonContext, Result } from "../../runtime/definition.ts";
import type { SimulationState } from "../state.ts";

/** Performs the Stage of a Pod that is due. */
export async function performStage(_: CommonContext, _state: SimulationState, _pod: Pod, _node: Node): Promise<Result> {
  return undefined;
}
