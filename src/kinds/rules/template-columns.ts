import { textColumn } from "../../schema/columns.ts";
import type { ApiObject, Column } from "../../schema/definition.ts";
import { labelsText } from "./label-selection.ts";

/** The text of a column without a value. */
export const orNone = (text: string): string => (text === "" ? "<none>" : text);

/** A template in the view of its columns. */
interface Template {
  readonly spec?: { readonly containers?: readonly { readonly name?: string; readonly image?: string }[] };
}

/** Columns of a template, in wide tables only by default: the names and the images of its containers. */
export const containerColumns = <T extends ApiObject>(
  templateOf: (object: T) => Template | undefined,
  wide = true,
): readonly Column<T>[] =>
  (["name", "image"] as const).map((member) =>
    textColumn(
      member === "name" ? "Containers" : "Images",
      `The ${member}s of the containers in the template.`,
      (object) => (templateOf(object)?.spec?.containers ?? []).map((container) => container[member] ?? "").join(","),
      wide,
    ),
  );

/** Labels in the form of a column. */
export const shownLabels = (labels: Readonly<Record<string, string>> | undefined): string => orNone(labelsText(labels));
