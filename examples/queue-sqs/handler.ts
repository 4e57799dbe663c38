import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { isPathologyError, type PathologyClient } from 'pathology-sdk'
import { loadOrder, type OrderJob } from '../support/order-jobs.js'

/** URLs of two queues. The first one needs a redrive policy whose dead-letter queue is the second. */
export interface OrderQueues {
  readonly orders: string
  readonly parked: string
}

/** Longest time for which SQS hides a message, in seconds. */
const LONGEST_SECONDS = 43_200

/** Places the order of a message. A message that is delivered twice places one order. */
export async function placeOrder(
  sqs: SQSClient,
  queues: OrderQueues,
  client: PathologyClient,
  { Body = '', ReceiptHandle }: Message,
): Promise<void> {
  const { orderId }: OrderJob = JSON.parse(Body)
  const orderKey = `order-${orderId}`
  const message = { QueueUrl: queues.orders, ReceiptHandle }
  try {
    await client.referrals.create(await loadOrder(orderId), { orderKey })
  } catch (error) {
    if (!isPathologyError(error)) throw error
    if (error.retryable) {
      const VisibilityTimeout = Math.min(LONGEST_SECONDS, Math.ceil((error.retryAfter ?? 60_000) / 1_000))
      await sqs.send(new ChangeMessageVisibilityCommand({ ...message, VisibilityTimeout }))
      return
    }
    const parked = JSON.stringify({ orderId, orderKey, error })
    await sqs.send(new SendMessageCommand({ QueueUrl: queues.parked, MessageBody: parked }))
  }
  await sqs.send(new DeleteMessageCommand(message))
}

/**
 * Receives messages until the signal aborts. If a message fails with another error, SQS returns it after its
 * visibility timeout.
 */
export async function work(
  sqs: SQSClient,
  queues: OrderQueues,
  client: PathologyClient,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // An order takes up to two minutes: the visibility timeout must be longer.
    const receive = { QueueUrl: queues.orders, WaitTimeSeconds: 20, VisibilityTimeout: 180 }
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(receive))
    for (const message of Messages)
      await placeOrder(sqs, queues, client, message).catch((error: unknown) =>
        console.warn('the order was not placed:', error instanceof Error ? error.name : 'unknown'),
      )
  }
}
