/**
 * `subPathExpr` of a container's mounts: a path in which `$(NAME)` stands for a variable of the container.
 *
 * @module
 */
import { expandVariables } from "../variables.ts";

/**
 * Puts the values of variables in: `$(NAME)` is the value, `$$` is a dollar sign, and what is neither stays as it is.
 *
 * @throws an error that names the first variable that is not set
 */
export const expandSubPath = (expression: string, variables: ReadonlyMap<string, string>): string =>
  expandVariables(expression, (name) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`subPathExpr ${expression}: the container has no variable ${name}`);
    return value;
  });

/**
 * The elements of a path inside of a volume.
 *
 * @throws an error for one that is absolute or has an element `..`
 */
export function elementsOf(subPath: string): string[] {
  if (subPath.startsWith("/")) throw new Error(`subPath ${subPath} must not be absolute`);
  if (subPath.includes("\0")) throw new Error("subPath must not have a character of code 0");
  const elements = subPath.split("/").filter((element) => element !== "" && element !== ".");
  if (elements.includes("..")) throw new Error(`subPath ${subPath} must not have an element ".."`);
  return elements;
}
