import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NotFoundError, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { exampleOrder } from '../support/orders.js'
import { recordCalls } from './telemetry.js'

// npx tsx examples/opentelemetry/main.ts
// In production, use your collector's exporters and the providers of @opentelemetry/sdk-node.
const spans = new InMemorySpanExporter()
const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 60_000 })
const measuring = new MeterProvider({ readers: [reader] })

const stop = recordCalls(tracing.getTracer('pathology'), measuring.getMeter('pathology'))

await using fake = new FakePathologyService({ centreCount: 10 })
await using client = new PathologyClient(fake.clientOptions())
await client.referrals.create(exampleOrder({ tests: ['ferritin'] }))
fake.faults.next('GET /v1/vendors', { status: 503 })
await client.vendors.list().toArray()
await client.results.retrieve('00000000-0000-4000-8000-000000000000').catch((error: unknown) => {
  if (!(error instanceof NotFoundError)) throw error
})

for (const { name, attributes } of spans.getFinishedSpans()) {
  const status = attributes['http.response.status_code']
  const repeats = attributes['http.request.resend_count']
  console.log(`span ${name}: ${status}, ${attributes['pathology.outcome']}, ${repeats} repeats`)
}

await measuring.forceFlush()
for (const { descriptor, dataPoints } of metricsOf()) {
  console.log(`metric ${descriptor.name}: ${dataPoints.length} series`)
}
stop()
await measuring.shutdown()
await tracing.shutdown()

function metricsOf() {
  return metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: rows }) => rows))
}
