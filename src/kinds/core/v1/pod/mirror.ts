import type { Dialect } from "../../../../meta/dialect.ts";
import type { ApiObject } from "../../../../schema/definition.ts";

/** Whether a Pod only shows one that a node runs by itself. */
export const isMirror = ({ metadata }: ApiObject, { labelDomain }: Dialect): boolean =>
  metadata.annotations?.[`${labelDomain}/config.mirror`] !== undefined;
