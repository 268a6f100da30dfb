import { textColumn } from "../../schema/columns.ts";
import type { ApiObject, Column } from "../../schema/definition.ts";
import { labelsText } from "./label-selection.ts";

/** What a column shows where there may be nothing. */
export const orNone = (text: string): string => (text === "" ? "<none>" : text);

/** A template as its columns see it. */
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

/** Labels as a column shows them. */
export const shownLabels = (labels: Readonly<Record<string, string>> | undefined): string => orNone(labelsText(labels));
