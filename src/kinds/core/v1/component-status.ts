/**
 * ComponentStatus: the health of the programs of a control plane. It is made for each read and never stored; its content comes from
 * `cluster/components.ts`.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { nameColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";

/** The status of a program. */
export interface ComponentCondition {
  readonly type: "Healthy";
  readonly status: "True" | "False" | "Unknown";
  readonly message?: string;
  readonly error?: string;
}

const Condition = t.struct("A condition of the program.", {
  type: t.required(t.text("Healthy.")),
  status: t.required(t.text("True, False or Unknown.")),
  message: t.optional(t.text("The message of the program.")),
  error: t.optional(t.text("Why its health could not be checked.")),
});

const schema = objectSchema("The health of a component of the control plane. Deprecated.", {
  conditions: t.optional(t.keyedList(Condition, ["type"], "A condition of the program.")),
});

const conditionOf = ({ conditions }: ObjectOf<typeof schema>) => conditions?.find(({ type }) => type === "Healthy");

const WORDS: Readonly<Record<string, string>> = { True: "Healthy", False: "Unhealthy" };

/** The definition of ComponentStatus. */
export const componentStatus = defineResource(schema, {
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  plural: "componentstatuses",
  shortNames: ["cs"],
  scope: "Cluster",
  verbs: ["get", "list"],
  shown: true,
  deprecated: "v1 ComponentStatus is deprecated in v1.19+",
  columns: [
    nameColumn,
    textColumn("Status", "Whether it is well.", (object) => WORDS[conditionOf(object)?.status ?? ""] ?? "Unknown"),
    textColumn("Message", "The message of the program.", (object) => conditionOf(object)?.message ?? ""),
    textColumn("Error", "Why its health could not be checked.", (object) => conditionOf(object)?.error ?? ""),
  ],
});
