/**
 * Names of fields in errors and conflicts: `spec.containers[0].image`, `data[a.b]`, `metadata.labels['a/b']`,
 * `.spec.containers[name="web"].image`.
 *
 * @module
 */

/** A step of a field name: a member, a position, or the item of a list that has these keys. */
export type FieldStep = string | number | { readonly keys: Readonly<Record<string, unknown>> };

/** Reads a name; what cannot be read ends it. A name may contain dots; `a.b` is still read as two steps. */
export function parseFieldName(name: string): FieldStep[] {
  const steps: FieldStep[] = [];
  let at = name.startsWith(".") ? 1 : 0;
  while (at < name.length) {
    if (name[at] === "[") {
      const end = endOfBracket(name, at);
      if (end < 0) break;
      steps.push(bracketStep(name.slice(at + 1, end)));
      at = end + 1;
      if (name[at] === ".") at++;
      continue;
    }
    let end = at;
    while (end < name.length && name[end] !== "." && name[end] !== "[") end++;
    if (end > at) steps.push(name.slice(at, end));
    at = name[end] === "." ? end + 1 : end;
  }
  return steps;
}

function endOfBracket(name: string, from: number): number {
  let quote = "";
  for (let at = from + 1; at < name.length; at++) {
    const char = name[at]!;
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "]") return at;
  }
  return name.indexOf("]", from);
}

function bracketStep(text: string): FieldStep {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (/^'.*'$/s.test(text)) return text.slice(1, -1);
  if (/^[A-Za-z][\w-]*=/.test(text)) {
    const keys: Record<string, unknown> = {};
    for (const [key, value] of pairsOf(text)) keys[key] = parsed(value);
    return { keys };
  }
  if (text.startsWith('"')) return String(parsed(text));
  return text;
}

/** The pairs of `containerPort=80,protocol="TCP"`, values as they are written. */
function* pairsOf(text: string): Generator<readonly [key: string, value: string]> {
  for (let at = 0, is = text.indexOf("="); is >= 0; is = text.indexOf("=", at)) {
    const [quoted] = text[is + 1] === '"' ? (/^"(?:[^"\\]|\\.)*"/.exec(text.slice(is + 1)) ?? []) : [];
    const comma = text.indexOf(",", is);
    const end = quoted === undefined ? (comma < 0 ? text.length : comma) : is + 1 + quoted.length;
    yield [text.slice(at, is).trim(), text.slice(is + 1, end)];
    at = end + 1;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
