import type { DefinitionFactory } from "../../../schema/definition.ts";
import { endpointSlice } from "./endpointslice.ts";

/** The discovery group. */
export const discoveryGroup: DefinitionFactory = () => [endpointSlice];
