import { channel } from 'node:diagnostics_channel'
import {
  type Attributes,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api'
import { DIAGNOSTICS_CHANNEL, type RequestEvent } from 'pathology-sdk'

const START = channel(`tracing:${DIAGNOSTICS_CHANNEL}:start`)
const END = channel(`tracing:${DIAGNOSTICS_CHANNEL}:asyncEnd`)

/**
 * Records a span and two metrics for every call of every client in this process. The events contain no personal data: no
 * identifier, no address, no body.
 *
 * @returns A function that stops the recording.
 */
export function recordCalls(tracer: Tracer, meter: Meter): () => void {
  const spans = new WeakMap<RequestEvent, Span>()
  const duration = meter.createHistogram('pathology.client.duration', { unit: 'ms' })
  const attempts = meter.createCounter('pathology.client.attempts')

  const start = (message: unknown): void => {
    if (!isRequestEvent(message)) return
    const { operation, method, path } = message
    const attributes = {
      'pathology.operation': operation,
      'http.request.method': method,
      'url.template': path,
    }
    spans.set(message, tracer.startSpan(`pathology ${operation}`, { kind: SpanKind.CLIENT, attributes }))
  }
  const end = (message: unknown): void => {
    if (!isRequestEvent(message)) return
    const { operation, outcome = 'unknown' } = message
    const labels = { 'pathology.operation': operation, 'pathology.outcome': outcome }
    duration.record(message.duration ?? 0, labels)
    attempts.add(message.attempts ?? 0, labels)
    finish(spans.get(message), message, labels)
  }

  START.subscribe(start)
  END.subscribe(end)
  return () => {
    START.unsubscribe(start)
    END.unsubscribe(end)
  }
}

function finish(span: Span | undefined, event: RequestEvent, labels: Attributes): void {
  const { status, attempts = 0, outcome, errorCode } = event
  span?.setAttributes({ ...labels, 'http.request.resend_count': Math.max(0, attempts - 1) })
  if (status !== undefined) span?.setAttribute('http.response.status_code', status)
  if (outcome !== 'success') {
    span?.setAttribute('error.type', errorCode ?? outcome ?? 'unknown')
    span?.setStatus({ code: SpanStatusCode.ERROR })
  }
  span?.end()
}

function isRequestEvent(message: unknown): message is RequestEvent {
  return typeof message === 'object' && message !== null && 'operation' in message && 'path' in message
}
