import type { ServicePart } from './http.js'
import { ROUTES, type Route } from './routes.js'

/** The route of a request, or the reason why there is none. */
export type RouteMatch =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  /** The path exists, but only with other methods. */
  | { readonly kind: 'method'; readonly allowed: readonly string[] }
  /** The path does not exist. `similar` lists routes with similar paths; if there are none, all routes of the part. */
  | { readonly kind: 'path'; readonly similar: readonly string[] }

/** Finds the route of a method and a path without its query. */
export type Router = (part: ServicePart, method: string, path: string) => RouteMatch

interface Node {
  readonly fixed: Map<string, Node>
  parameter: { readonly name: string; readonly node: Node } | undefined
  readonly routes: Map<string, Route>
}

const NO_PARAMETERS: Readonly<Record<string, string>> = {}

const createNode = (): Node => ({ fixed: new Map(), parameter: undefined, routes: new Map() })

/** Creates the router of all routes. It finds a route with one lookup for each path segment. */
export function createRouter(): Router {
  const roots: Readonly<Record<ServicePart, Node>> = {
    api: createNode(),
    auth: createNode(),
    documents: createNode(),
  }
  for (const route of ROUTES) addRoute(roots[route.part], route)
  return (part, method, path) => {
    const found = descend(roots[part], path)
    if (found === undefined || found.node.routes.size === 0)
      return { kind: 'path', similar: similarRoutes(part, path) }
    const route = found.node.routes.get(method)
    if (route === undefined) return { kind: 'method', allowed: [...found.node.routes.keys()] }
    return { kind: 'found', route, params: found.params }
  }
}

function addRoute(root: Node, route: Route): void {
  let node = root
  for (const segment of route.path.split('/').slice(1)) {
    node = segment.startsWith('{') ? parameterNode(node, segment.slice(1, -1)) : fixedNode(node, segment)
  }
  node.routes.set(route.method, route)
}

function fixedNode(node: Node, segment: string): Node {
  const next = node.fixed.get(segment) ?? createNode()
  node.fixed.set(segment, next)
  return next
}

function parameterNode(node: Node, name: string): Node {
  node.parameter ??= { name, node: createNode() }
  return node.parameter.node
}

function descend(
  root: Node,
  path: string,
): { readonly node: Node; readonly params: Readonly<Record<string, string>> } | undefined {
  let node = root
  let params = NO_PARAMETERS
  for (const segment of path.split('/').slice(1)) {
    const fixed = node.fixed.get(segment)
    if (fixed !== undefined) {
      node = fixed
      continue
    }
    if (node.parameter === undefined || segment === '') return undefined
    params = { ...params, [node.parameter.name]: decode(segment) }
    node = node.parameter.node
  }
  return { node, params }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function similarRoutes(part: ServicePart, path: string): string[] {
  const here = ROUTES.filter((route) => route.part === part)
  const words = path.toLowerCase().split(/[^a-z0-9]+/)
  const similar = here.filter(({ path: template }) =>
    template
      .split(/[^a-z0-9]+/)
      .some((word) => word.length > 2 && words.some((other) => isAlike(word, other))),
  )
  return (similar.length === 0 ? here : similar).map((route) => `${route.method} ${route.path}`)
}

function isAlike(word: string, other: string): boolean {
  return other.length > 2 && (word.startsWith(other.slice(0, 4)) || other.startsWith(word.slice(0, 4)))
}
