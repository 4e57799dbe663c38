#!/usr/bin/env node
import { runProcess } from './process.js'

void runProcess(['fake', ...process.argv.slice(2)])
