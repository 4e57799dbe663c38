/**
 * Creates elements from plain data, and updates the children of a host element. An element that stays keeps its focus,
 * scroll position and typed text. Text never becomes markup.
 *
 * @typedef {Node | string | number | null | undefined | false} Part
 * @typedef {Part | readonly Part[]} Child
 * @typedef {Readonly<Record<string, string | number | boolean | null | undefined>>} Attributes
 */

const SVG = 'http://www.w3.org/2000/svg'

/** Attributes that the browser or an event handler sets. An update of the elements keeps them. */
const USER_ATTRIBUTES = new Set(['open', 'aria-busy'])

/**
 * Creates an HTML element. Omits an attribute that is `null`, `undefined` or `false`.
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
 * Creates an SVG element.
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
 * Updates the children of a host with as few changes as possible. Children with the same `data-key` are the same element,
 * even at another position.
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
 * Returns the existing node that is updated with the content of `child`; `null` if `child` itself is inserted.
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
    if (!next.hasAttribute(name) && !USER_ATTRIBUTES.has(name)) current.removeAttribute(name)
  }
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof Element ? (node.getAttribute('data-key') ?? undefined) : undefined
}
