/**
 * Scripts of the ledger. An entry is one hash:
 *
 * - `token`: the claim that holds the entry, or held it last.
 * - `ended`: 1 after the claim or `resolve` has recorded an outcome, otherwise 0.
 * - `endsAt`: the time of this outcome, or the end of the lease.
 * - `mark:…`: a marked request, as its time, a space and its token.
 * - `sender:…`: a token that has marked a request, and has not recorded `not-placed`.
 * - `keyId`, `hash`: the fingerprint. `referrals`: the UUIDs of a placed order, as JSON.
 *
 * A key of another type is not an entry. Times are by the clock of Redis, in milliseconds since 1970. The comment of
 * each script lists its arguments.
 *
 * Each script changes the entry and the index together. The keys of a script are those of `keysOf`: the entry, the
 * three sorted sets of the index, and the set of namespaces. Each entry is in one sorted set:
 *
 * - `open`: claimed, or sent with an unknown outcome; by the time of the last mark, else of the end of the lease.
 * - `placed`, `not-placed`: by the time of the outcome.
 */
const ENTRY = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entry, fields

local function read()
  entry = {}
  local isHash = redis.call('TYPE', KEYS[1]).ok == 'hash'
  fields = isHash and redis.call('HGETALL', KEYS[1]) or {}
  for i = 1, #fields, 2 do entry[fields[i]] = fields[i + 1] end
end

read()
local held = entry.token == ARGV[1] and entry.ended == '0' and not entry.referrals
local sender = entry['sender:' .. tostring(ARGV[1])]

local function text(ms) return string.format('%.0f', ms) end

local function set(...) redis.call('HSET', KEYS[1], ...) end

local function finish() set('ended', '1', 'endsAt', text(now)) end

local function isMark(field) return string.sub(field, 1, 5) == 'mark:' end

local function hasMarks()
  for field in pairs(entry) do if isMark(field) then return true end end
  return false
end

local id = string.match(KEYS[1], '[^:]*:[^:]*$')

local function leaveIndex()
  for i = 2, 4 do redis.call('ZREM', KEYS[i], id) end
end

local function changed()
  read()
  local set, at = KEYS[4], tonumber(entry.endsAt)
  if entry.referrals then
    set = KEYS[3]
  elseif entry.ended == '0' or hasMarks() then
    set = KEYS[2]
    local sent = 0
    for field, value in pairs(entry) do
      if isMark(field) then sent = math.max(sent, tonumber(string.match(value, '^%d+'))) end
    end
    if sent > 0 then at = sent end
  end
  leaveIndex()
  redis.call('ZADD', set, text(at), id)
  return 1
end

local function isOf(field, token)
  local value = entry[field]
  return value and string.sub(value, string.find(value, ' ') + 1) == token
end

local function removeMarks(token)
  for field in pairs(entry) do
    if isMark(field) and (not token or isOf(field, token)) then redis.call('HDEL', KEYS[1], field) end
  end
end
`

/**
 * Arguments: token, lease, key ID, hash. Returns a list: 1 if the token now holds the entry, otherwise 0; the time; the
 * entry's fields.
 */
export const CLAIM = `${ENTRY}
local free = true
if entry.referrals then
  free = false
elseif entry.token == ARGV[1] then
  free = entry.ended == '0'
elseif entry.token then
  free = entry.ended == '1' or tonumber(entry.endsAt) <= now
end
if free then
  set('token', ARGV[1], 'ended', '0', 'endsAt', text(now + ARGV[2]))
  if not hasMarks() then set('keyId', ARGV[3], 'hash', ARGV[4]) end
  redis.call('SADD', KEYS[5], string.match(id, '^[^:]*'))
  changed()
end
return { free and 1 or 0, text(now), redis.call('HGETALL', KEYS[1]) }`

/** Arguments: token, mark, replaced mark or an empty string, lease. A mark that exists keeps its time. */
export const MARK = `${ENTRY}
if not held then return 0 end
if isOf('mark:' .. ARGV[3], ARGV[1]) then redis.call('HDEL', KEYS[1], 'mark:' .. ARGV[3]) end
redis.call('HSETNX', KEYS[1], 'mark:' .. ARGV[2], text(now) .. ' ' .. ARGV[1])
set('sender:' .. ARGV[1], '1', 'endsAt', text(now + ARGV[4]))
return changed()`

/** Arguments: token, mark. A token that no longer holds the entry can still remove its own marks. */
export const UNMARK = `${ENTRY}
if not held and (not sender or entry.referrals) then return 0 end
if isOf('mark:' .. ARGV[2], ARGV[1]) then redis.call('HDEL', KEYS[1], 'mark:' .. ARGV[2]) end
return changed()`

/** Arguments: token, lease. */
export const RENEW = `${ENTRY}
if not held then return 0 end
set('endsAt', text(now + ARGV[2]))
return changed()`

/** Arguments: token, referrals as JSON. Does not replace referrals that are already recorded. */
export const RECORD_PLACED = `${ENTRY}
if not entry.token or (entry.token ~= ARGV[1] and not sender) then return 0 end
if not entry.referrals then
  set('referrals', ARGV[2])
  finish()
end
return changed()`

/** Argument: token. Does not end the claim of another token. */
export const RECORD_NOT_PLACED = `${ENTRY}
if (entry.token ~= ARGV[1] and not sender) or entry.referrals then return 0 end
removeMarks(ARGV[1])
redis.call('HDEL', KEYS[1], 'sender:' .. ARGV[1])
if entry.token == ARGV[1] then finish() end
return changed()`

/** Argument: token. */
export const RECORD_UNKNOWN = `${ENTRY}
if entry.token ~= ARGV[1] or entry.referrals then return 0 end
finish()
return changed()`

/** Argument: referrals as JSON. Adds the referrals that the entry does not have. */
export const RESOLVE_PLACED = `${ENTRY}
if not entry.token then return 0 end
local referrals, known = {}, {}
for _, list in ipairs({ entry.referrals or '[]', ARGV[1] }) do
  for _, uuid in ipairs(cjson.decode(list)) do
    if not known[uuid] then
      known[uuid] = true
      table.insert(referrals, uuid)
    end
  end
end
set('referrals', #referrals == 0 and '[]' or cjson.encode(referrals))
finish()
return changed()`

/** No arguments. Does not change an entry with referrals. */
export const RESOLVE_NOT_PLACED = `${ENTRY}
if not entry.token or entry.referrals then return 0 end
removeMarks()
finish()
return changed()`

/**
 * Argument: time. Deletes an entry that ended before this time. Keeps an entry with a request of unknown outcome. Returns
 * 1 for a deleted entry, 0 for one that stays, and 2 if Redis has lost the entry and only the index had it.
 */
export const PRUNE = `${ENTRY}
if not entry.token then
  leaveIndex()
  return 2
end
if hasMarks() and not entry.referrals then return 0 end
if tonumber(entry.endsAt) >= tonumber(ARGV[1]) or tonumber(entry.endsAt) > now then return 0 end
redis.call('DEL', KEYS[1])
leaveIndex()
return 1`

/** No arguments. Returns the time, and the entry's fields. */
export const READ = `${ENTRY}
return { text(now), fields }`

/**
 * Key: a sorted set of the index. Arguments: upper bound of the time, number of skipped and of returned entries.
 * Returns the entries, newest first.
 */
export const NEWEST = `return redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[1], '-inf', 'LIMIT', ARGV[2], ARGV[3])`

/** Key: the set of namespaces. */
export const NAMESPACES = `return redis.call('SMEMBERS', KEYS[1])`

/** Returns the section `memory` of `INFO`, or an empty string if the client may not call `INFO`. */
export const MEMORY = `local memory = redis.pcall('INFO', 'memory')
if type(memory) ~= 'string' then return '' end
return memory`
