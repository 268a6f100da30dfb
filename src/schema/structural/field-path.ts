/**
 * Paths of members in definitions: `.spec.color`, `.data['a.b']`.
 *
 * @module
 */

const STEP = /\.([A-Za-z_$][\w$-]*)|\['((?:[^'\\]|\\.)*)'\]/gy;

/** The names of a path, outermost first; undefined when it is no path of members. */
export function fieldPathOf(path: string): readonly string[] | undefined {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  for (let at = 0; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (!match) return undefined;
    steps.push(match[1] ?? match[2]!.replaceAll(/\\(.)/g, "$1"));
  }
  return steps.length > 0 ? steps : undefined;
}
