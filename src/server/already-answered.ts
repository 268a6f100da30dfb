/** Thrown where the way of a request ends because it has been answered, or its answer lost, by whoever throws this. */
export class AlreadyAnswered extends Error {}
