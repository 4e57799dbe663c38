/**
 * Elements made from plain data, and a host brought to look like them without a jump: what stays the same stays the same
 * element, with its focus, its scroll position and what somebody typed into it. Text only ever becomes text.
 *
 * @typedef {Node | string | number | null | undefined | false} Part
 * @typedef {Part | readonly Part[]} Child
 * @typedef {Readonly<Record<string, string | number | boolean | null | undefined>>} Attributes
 */

const SVG = 'http://www.w3.org/2000/svg'

/** Attributes that somebody's doings set, not the data. */
const THEIRS = new Set(['open', 'data-armed', 'aria-busy'])

/**
 * An HTML element. An attribute that is `null`, `undefined` or `false` is left out.
 *
 * @param {string} tag
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes ?? {}, children)
}

/**
 * An SVG element.
 *
 * @param {string} tag
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  return fill(/** @type {SVGElement} */ (document.createElementNS(SVG, tag)), attributes ?? {}, children)
}

/**
 * Makes a host contain these children, and changes no more than it must. Children with a `data-key` are recognised by it
 * wherever they go.
 *
 * @param {Element} host
 * @param {...Child} children
 */
export function render(host, ...children) {
  const next = document.createDocumentFragment()
  next.append(...parts(children))
  matchChildren(host, next)
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue
    element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...parts(children))
  return element
}

/**
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
function parts(children) {
  return children.flat().flatMap((child) => {
    if (child === null || child === undefined || child === false) return []
    return [child instanceof Node ? child : String(child)]
  })
}

/**
 * @param {Node} current
 * @param {Node} next
 */
function matchChildren(current, next) {
  const wanted = [...next.childNodes]
  const keys = new Set(wanted.map(keyOf))
  /** @type {Map<string | undefined, ChildNode>} */
  const kept = new Map()
  for (const child of [...current.childNodes]) {
    const key = keyOf(child)
    if (key === undefined) continue
    if (keys.has(key)) kept.set(key, child)
    else child.remove()
  }
  let place = current.firstChild
  for (const child of wanted) {
    const same = counterpart(child, kept.get(keyOf(child)), place)
    if (same === null) current.insertBefore(child, place)
    else {
      if (same === place) place = place.nextSibling
      else current.insertBefore(same, place)
      matchNode(same, child)
    }
  }
  while (place !== null) {
    const gone = place
    place = place.nextSibling
    gone.remove()
  }
}

/**
 * The node already there that is to become `child`.
 *
 * @param {ChildNode} child
 * @param {ChildNode | undefined} kept
 * @param {ChildNode | null} place
 * @returns {ChildNode | null}
 */
function counterpart(child, kept, place) {
  if (keyOf(child) !== undefined) return kept?.nodeName === child.nodeName ? kept : null
  return place !== null && keyOf(place) === undefined && place.nodeName === child.nodeName ? place : null
}

/**
 * @param {Node} current
 * @param {Node} next
 */
function matchNode(current, next) {
  if (current instanceof Element && next instanceof Element) {
    matchAttributes(current, next)
    matchChildren(current, next)
  } else if (current.nodeValue !== next.nodeValue) current.nodeValue = next.nodeValue
}

/**
 * @param {Element} current
 * @param {Element} next
 */
function matchAttributes(current, next) {
  for (const { name, value } of [...next.attributes]) {
    if (current.getAttribute(name) !== value) current.setAttribute(name, value)
  }
  for (const { name } of [...current.attributes]) {
    if (!next.hasAttribute(name) && !THEIRS.has(name)) current.removeAttribute(name)
  }
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof Element ? (node.getAttribute('data-key') ?? undefined) : undefined
}
