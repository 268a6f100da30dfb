/**
 * Variables in the command and the paths of a container.
 *
 * @module
 */

/** The limit of Linux for an argument (MAX_ARG_STRLEN). */
const MAX_LENGTH = 128 * 1024;

/**
 * Inserts the values of variables from left to right: `$(NAME)` is the result of `valueOf`, `$$` is a dollar sign, and
 * other text stays (`third_party/forked/golang/expansion` of Kubernetes).
 *
 * @param valueOf gets the name and the whole reference
 * @throws where the result has more than 128 Ki characters
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
    if (out.length > MAX_LENGTH) throw tooLong();
  }
  return out + text.slice(at);
}

const tooLong = (): Error => new Error(`expected at most ${MAX_LENGTH} characters with the values of variables`);
