/**
 * Variables of a container in its words and paths.
 *
 * @module
 */

/** Linux starts no program with a longer word (MAX_ARG_STRLEN) and takes no longer path. */
const MOST_CHARACTERS = 128 * 1024;

/**
 * Puts the values of variables in, from the beginning to the end: `$(NAME)` is what `valueOf` says, `$$` is a dollar sign, and
 * what is neither stays as it is (`third_party/forked/golang/expansion` of Kubernetes).
 *
 * @param valueOf of a name and the whole reference
 * @throws an error where the result has more than 128 Ki characters
 */
export function expandVariables(text: string, valueOf: (name: string, reference: string) => string): string {
  const lastEnd = text.lastIndexOf(")");
  let out = "";
  let at = 0;
  for (let dollar = text.indexOf("$"); dollar >= 0; dollar = text.indexOf("$", at)) {
    out += text.slice(at, dollar);
    const next = text[dollar + 1];
    if (next === "(" && dollar < lastEnd) {
      at = text.indexOf(")", dollar) + 1;
      out += valueOf(text.slice(dollar + 2, at - 1), text.slice(dollar, at));
    } else {
      out += "$";
      at = dollar + (next === "$" ? 2 : 1);
    }
    if (out.length > MOST_CHARACTERS) throw tooLong();
  }
  return out + text.slice(at);
}

const tooLong = (): Error =>
  new Error(`expected at most ${MOST_CHARACTERS} characters with the values of variables in place`);
