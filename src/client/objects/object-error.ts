/** Something cannot be done with an object; the message is for the user, who chose it. */
export class ObjectError extends Error {
  override readonly name = "ObjectError";
}
