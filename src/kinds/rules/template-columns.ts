import { textColumn } from "../../schema/columns.ts";
import type { ApiObject, Column } from "../../schema/definition.ts";
import { labelsText } from "./label-selection.ts";

/** What a column shows where there may be nothing. */
export const orNone = (text: string): string => (text === "" ? "<none>" : text);

const containersOf = (template: Template | undefined): readonly { name?: string; image?: string }[] =>
  template?.spec?.containers ?? [];

/** A template as its columns see it. */
interface Template {
  readonly spec?: { readonly containers?: readonly { readonly name?: string; readonly image?: string }[] };
}

/** Columns of a template, in wide tables only by default: the names and the images of its containers. */
export const containerColumns = (
  templateOf: (object: ApiObject) => Template | undefined,
  wide = true,
): readonly Column[] => [
  textColumn(
    "Containers",
    "The names of the containers in the template.",
    (object) =>
      containersOf(templateOf(object))
        .map(({ name }) => name)
        .join(","),
    wide,
  ),
  textColumn(
    "Images",
    "The images of the containers in the template.",
    (object) =>
      containersOf(templateOf(object))
        .map(({ image }) => image ?? "")
        .join(","),
    wide,
  ),
];

/** Labels as a column shows them. */
export const shownLabels = (labels: Readonly<Record<string, string>> | undefined): string => orNone(labelsText(labels));
