/**
 * `subPathExpr` of a container's mounts: a path with `$(NAME)` for variables of the container.
 *
 * @module
 */
import { expandVariables } from "../variables.ts";

/** Inserts the values of variables: `$$` is a dollar sign, and other text stays. @throws for an unknown variable */
export const expandSubPath = (expression: string, variables: ReadonlyMap<string, string>): string =>
  expandVariables(expression, (name) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`subPathExpr ${expression}: the container has no variable ${name}`);
    return value;
  });

/** The elements of a path in a volume. @throws for an absolute path, or one with an element `..` */
export function elementsOf(subPath: string): string[] {
  if (subPath.startsWith("/")) throw new Error(`subPath ${subPath} must not be absolute`);
  if (subPath.includes("\0")) throw new Error("subPath must not have a character of code 0");
  const elements = subPath.split("/").filter((element) => element !== "" && element !== ".");
  if (elements.includes("..")) throw new Error(`subPath ${subPath} must not have an element ".."`);
  return elements;
}
