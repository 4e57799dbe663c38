/** Name of the method that Node's `util.inspect` and console call to format an object. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom')
