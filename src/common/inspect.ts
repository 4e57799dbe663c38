/** The name of the method that says how Node shows an object, in its console above all. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom')
