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
 */
const ENTRY = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entry = {}
local isHash = redis.call('TYPE', KEYS[1]).ok == 'hash'
local fields = isHash and redis.call('HGETALL', KEYS[1]) or {}
for i = 1, #fields, 2 do entry[fields[i]] = fields[i + 1] end
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
end
return { free and 1 or 0, text(now), redis.call('HGETALL', KEYS[1]) }`

/** Arguments: token, mark, replaced mark or an empty string, lease. A mark that exists keeps its time. */
export const MARK = `${ENTRY}
if not held then return 0 end
if isOf('mark:' .. ARGV[3], ARGV[1]) then redis.call('HDEL', KEYS[1], 'mark:' .. ARGV[3]) end
redis.call('HSETNX', KEYS[1], 'mark:' .. ARGV[2], text(now) .. ' ' .. ARGV[1])
set('sender:' .. ARGV[1], '1', 'endsAt', text(now + ARGV[4]))
return 1`

/** Arguments: token, mark. A token that no longer holds the entry can still remove its own marks. */
export const UNMARK = `${ENTRY}
if not held and (not sender or entry.referrals) then return 0 end
if isOf('mark:' .. ARGV[2], ARGV[1]) then redis.call('HDEL', KEYS[1], 'mark:' .. ARGV[2]) end
return 1`

/** Arguments: token, lease. */
export const RENEW = `${ENTRY}
if not held then return 0 end
set('endsAt', text(now + ARGV[2]))
return 1`

/** Arguments: token, referrals as JSON. Does not replace referrals that are already recorded. */
export const RECORD_PLACED = `${ENTRY}
if not entry.token or (entry.token ~= ARGV[1] and not sender) then return 0 end
if not entry.referrals then
  set('referrals', ARGV[2])
  finish()
end
return 1`

/** Argument: token. Does not end the claim of another token. */
export const RECORD_NOT_PLACED = `${ENTRY}
if (entry.token ~= ARGV[1] and not sender) or entry.referrals then return 0 end
removeMarks(ARGV[1])
redis.call('HDEL', KEYS[1], 'sender:' .. ARGV[1])
if entry.token == ARGV[1] then finish() end
return 1`

/** Argument: token. */
export const RECORD_UNKNOWN = `${ENTRY}
if entry.token ~= ARGV[1] or entry.referrals then return 0 end
finish()
return 1`

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
return 1`

/** No arguments. Does not change an entry with referrals. */
export const RESOLVE_NOT_PLACED = `${ENTRY}
if not entry.token or entry.referrals then return 0 end
removeMarks()
finish()
return 1`

/** Argument: time. Deletes an entry that ended before this time. Keeps an entry with a request of unknown outcome. */
export const PRUNE = `${ENTRY}
if not entry.token or (hasMarks() and not entry.referrals) then return 0 end
if tonumber(entry.endsAt) >= tonumber(ARGV[1]) or tonumber(entry.endsAt) > now then return 0 end
redis.call('DEL', KEYS[1])
return 1`

/** Returns the section `memory` of `INFO`, or an empty string if the client may not call `INFO`. */
export const MEMORY = `local memory = redis.pcall('INFO', 'memory')
if type(memory) ~= 'string' then return '' end
return memory`
