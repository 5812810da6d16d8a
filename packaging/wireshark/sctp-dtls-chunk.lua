-- Decrypts the DTLS chunk of SCTP (draft-ietf-tsvwg-sctp-dtls-chunk-04) in Wireshark and tshark, 4.0 and newer, with
-- the keys that `--key-log FILE` of `sheave` has written:
--
--     tshark -X lua_script:sctp-dtls-chunk.lua -o sctp_dtls_chunk.keys:FILE -r capture.pcap
--
-- The decrypted packet is dissected as SCTP, so that filters such as `sctp.data_tsn` find its chunks. The ciphers are
-- written out here, since Lua in Wireshark 4.0 has none.

local xor, band, bor = bit.bxor, bit.band, bit.bor
local left, right, rol, ror = bit.lshift, bit.rshift, bit.rol, bit.ror
local unpack = table.unpack or unpack

local CHUNK, RESTART, APPLICATION_DATA, TAG = 0x41, 1, 23, 16

local function unhex(digits)
    return (digits:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function hex(bytes)
    return (bytes:gsub(".", function(byte) return string.format("%02x", byte:byte()) end))
end

local function big(bytes, place)
    local a, b, c, d = bytes:byte(place, place + 3)
    return bor(left(a, 24), left(b, 16), left(c, 8), d)
end

local function little(bytes, place)
    local a, b, c, d = bytes:byte(place, place + 3)
    return bor(left(d, 24), left(c, 16), left(b, 8), a)
end

local function from_big(word)
    return string.char(right(word, 24), band(right(word, 16), 255), band(right(word, 8), 255), band(word, 255))
end

local function from_little(word)
    return from_big(word):reverse()
end

-- A number below 2^53 in so many bytes, the lowest first.
local function bytes_of(number, count)
    local bytes = {}
    for place = 1, count do
        bytes[place] = string.char(number % 256)
        number = math.floor(number / 256)
    end
    return table.concat(bytes)
end

local function filled(bytes)
    return bytes .. ("\0"):rep(-#bytes % 16)
end

-- The bytes, XORed with a key stream at least as long.
local function masked(bytes, stream)
    local out = {}
    for place = 1, #bytes do
        out[place] = string.char(xor(bytes:byte(place), stream:byte(place)))
    end
    return table.concat(out)
end

-- AES (FIPS 197): encryption of a block alone, by a table for each byte of a column.

local SBOX, TABLES = {}, {{}, {}, {}, {}}
do
    local function double(byte)
        return byte < 128 and byte * 2 or xor(byte * 2, 0x11b)
    end
    -- Powers of 3, which are all bytes but zero, and their logarithms.
    local power, logarithm = {}, {}
    local byte = 1
    for exponent = 0, 254 do
        power[exponent], logarithm[byte] = byte, exponent
        byte = xor(byte, double(byte))
    end
    for value = 0, 255 do
        local inverse = value == 0 and 0 or power[(255 - logarithm[value]) % 255]
        local spread = inverse * 0x101
        local mixed = xor(inverse, right(spread, 7), right(spread, 6), right(spread, 5), right(spread, 4), 0x63)
        local s = band(mixed, 255)
        SBOX[value] = s
        local column = bor(left(double(s), 24), left(s, 16), left(s, 8), xor(s, double(s)))
        for row = 1, 4 do
            TABLES[row][value] = ror(column, 8 * (row - 1))
        end
    end
end

local function substituted(word)
    return bor(left(SBOX[right(word, 24)], 24), left(SBOX[band(right(word, 16), 255)], 16),
        left(SBOX[band(right(word, 8), 255)], 8), SBOX[band(word, 255)])
end

-- The function that encrypts four words.
local function aes(key)
    local length = #key / 4
    local rounds = length + 6
    local w, constant = {}, 1
    for place = 0, length - 1 do
        w[place] = big(key, place * 4 + 1)
    end
    for place = length, rounds * 4 + 3 do
        local word = w[place - 1]
        if place % length == 0 then
            word = xor(substituted(rol(word, 8)), left(constant, 24))
            constant = constant < 128 and constant * 2 or xor(constant * 2, 0x11b)
        elseif length == 8 and place % 8 == 4 then
            word = substituted(word)
        end
        w[place] = xor(w[place - length], word)
    end
    local t0, t1, t2, t3 = unpack(TABLES)
    local function round(a, b, c, d, k)
        return xor(t0[right(a, 24)], t1[band(right(b, 16), 255)], t2[band(right(c, 8), 255)], t3[band(d, 255)], k)
    end
    local function last(a, b, c, d, k)
        return xor(left(SBOX[right(a, 24)], 24), left(SBOX[band(right(b, 16), 255)], 16),
            left(SBOX[band(right(c, 8), 255)], 8), SBOX[band(d, 255)], k)
    end
    return function(a, b, c, d)
        a, b, c, d = xor(a, w[0]), xor(b, w[1]), xor(c, w[2]), xor(d, w[3])
        for place = 4, rounds * 4 - 4, 4 do
            a, b, c, d = round(a, b, c, d, w[place]), round(b, c, d, a, w[place + 1]),
                round(c, d, a, b, w[place + 2]), round(d, a, b, c, w[place + 3])
        end
        local place = rounds * 4
        return last(a, b, c, d, w[place]), last(b, c, d, a, w[place + 1]),
            last(c, d, a, b, w[place + 2]), last(d, a, b, c, w[place + 3])
    end
end

-- GHASH (NIST SP 800-38D §6.4), four bits at a time.

local function times_x(a, b, c, d)
    local low = band(d, 1)
    return xor(right(a, 1), low == 1 and 0xe1000000 or 0), bor(left(a, 31), right(b, 1)),
        bor(left(b, 31), right(c, 1)), bor(left(c, 31), right(d, 1))
end

-- What four bits that leave at the end turn into.
local LEAVING = {}
for bits = 0, 15 do
    local a, b, c, d = 0, 0, 0, bits
    for _ = 1, 4 do
        a, b, c, d = times_x(a, b, c, d)
    end
    LEAVING[bits] = a
end

local function ghash(h, bytes)
    -- Products of h with each value of four bits, the highest of which is the power 0.
    local product = {[0] = {0, 0, 0, 0}, [8] = h}
    for _, bits in ipairs({4, 2, 1}) do
        product[bits] = {times_x(unpack(product[bits * 2]))}
    end
    for bits = 3, 15 do
        if not product[bits] then
            local highest = bits >= 8 and 8 or bits >= 4 and 4 or 2
            local one, other = product[highest], product[bits - highest]
            product[bits] = {xor(one[1], other[1]), xor(one[2], other[2]), xor(one[3], other[3]), xor(one[4], other[4])}
        end
    end
    local a, b, c, d = 0, 0, 0, 0
    for place = 1, #bytes, 16 do
        local input = {xor(a, big(bytes, place)), xor(b, big(bytes, place + 4)), xor(c, big(bytes, place + 8)),
            xor(d, big(bytes, place + 12))}
        a, b, c, d = 0, 0, 0, 0
        for word = 4, 1, -1 do
            for shift = 0, 28, 4 do
                local m = product[band(right(input[word], shift), 15)]
                local leaving = LEAVING[band(d, 15)]
                d = xor(right(d, 4), left(c, 28), m[4])
                c = xor(right(c, 4), left(b, 28), m[3])
                b = xor(right(b, 4), left(a, 28), m[2])
                a = xor(right(a, 4), leaving, m[1])
            end
        end
    end
    return from_big(a) .. from_big(b) .. from_big(c) .. from_big(d)
end

local function gcm(key, sn_key)
    local encrypt, mask = aes(key), aes(sn_key)
    local h = {encrypt(0, 0, 0, 0)}
    return {
        mask = function(sample)
            return from_big((mask(big(sample, 1), big(sample, 5), big(sample, 9), big(sample, 13))))
        end,
        open = function(nonce, header, text)
            local a, b, c = big(nonce, 1), big(nonce, 5), big(nonce, 9)
            local function block(counter)
                local w0, w1, w2, w3 = encrypt(a, b, c, counter)
                return from_big(w0) .. from_big(w1) .. from_big(w2) .. from_big(w3)
            end
            local length = #text - TAG
            local cipher, tag = text:sub(1, length), text:sub(length + 1)
            local lengths = bytes_of(length * 8, 8):reverse()
            local sum = ghash(h, filled(header) .. filled(cipher) .. bytes_of(#header * 8, 8):reverse() .. lengths)
            if masked(sum, block(1)) ~= tag then
                return nil
            end
            local stream = {}
            for place = 1, math.ceil(length / 16) do
                stream[place] = block(place + 1)
            end
            return masked(cipher, table.concat(stream))
        end,
    }
end

-- ChaCha20 and Poly1305 (RFC 8439).

local function chacha(key, counter, nonce)
    local start = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
    for place = 1, 29, 4 do
        start[#start + 1] = little(key, place)
    end
    start[13] = counter
    for place = 1, 9, 4 do
        start[#start + 1] = little(nonce, place)
    end
    local s = {unpack(start)}
    local function add(one, other)
        return bit.tobit(one + other)
    end
    local function quarter(a, b, c, d)
        s[a] = add(s[a], s[b]); s[d] = rol(xor(s[d], s[a]), 16)
        s[c] = add(s[c], s[d]); s[b] = rol(xor(s[b], s[c]), 12)
        s[a] = add(s[a], s[b]); s[d] = rol(xor(s[d], s[a]), 8)
        s[c] = add(s[c], s[d]); s[b] = rol(xor(s[b], s[c]), 7)
    end
    for _ = 1, 10 do
        for column = 1, 4 do
            quarter(column, column + 4, column + 8, column + 12)
        end
        for column = 0, 3 do
            quarter(column + 1, (column + 1) % 4 + 5, (column + 2) % 4 + 9, (column + 3) % 4 + 13)
        end
    end
    local out = {}
    for place = 1, 16 do
        out[place] = from_little(add(s[place], start[place]))
    end
    return table.concat(out)
end

-- A number of 130 bits as ten parts of 13, the lowest first.
local function parts(bytes)
    local out, held, bits, place = {}, 0, 0, 1
    for index = 1, 10 do
        while bits < 13 and place <= #bytes do
            held = held + bytes:byte(place) * 2 ^ bits
            bits, place = bits + 8, place + 1
        end
        out[index] = held % 8192
        held, bits = math.floor(held / 8192), math.max(bits - 13, 0)
    end
    return out
end

local function carried(number)
    local over = 0
    for index = 1, 10 do
        local sum = number[index] + over
        number[index], over = sum % 8192, math.floor(sum / 8192)
    end
    return over
end

-- 2^130 is 5.
local function fold(number)
    local over = carried(number)
    number[1] = number[1] + over * 5
end

local function poly1305(key, bytes)
    local clamped = {}
    for place = 1, 16 do
        local byte = key:byte(place)
        if place % 4 == 0 then byte = band(byte, 15) elseif place % 4 == 1 and place > 1 then byte = band(byte, 252) end
        clamped[place] = string.char(byte)
    end
    local r = parts(table.concat(clamped))
    local h = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
    for place = 1, #bytes, 16 do
        local m = parts(bytes:sub(place, place + 15) .. "\1")
        local product = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
        for i = 1, 10 do
            local one = h[i] + m[i]
            for j = 1, 10 do
                local index = i + j - 1
                if index <= 10 then
                    product[index] = product[index] + one * r[j]
                else
                    product[index - 10] = product[index - 10] + one * r[j] * 5
                end
            end
        end
        fold(product)
        h = product
    end
    fold(h)
    carried(h)
    -- Less the modulus, if it is not smaller.
    local less = {unpack(h)}
    less[1] = less[1] + 5
    if carried(less) > 0 then
        h = less
    end
    local held, bits, index, over, out = 0, 0, 1, 0, {}
    for place = 1, 16 do
        while bits < 8 and index <= 10 do
            held = held + h[index] * 2 ^ bits
            bits, index = bits + 13, index + 1
        end
        local sum = held % 256 + key:byte(16 + place) + over
        out[place], over = string.char(sum % 256), math.floor(sum / 256)
        held, bits = math.floor(held / 256), bits - 8
    end
    return table.concat(out)
end

local function chacha20_poly1305(key, sn_key)
    return {
        mask = function(sample)
            return chacha(sn_key, little(sample, 1), sample:sub(5))
        end,
        open = function(nonce, header, text)
            local length = #text - TAG
            local cipher, tag = text:sub(1, length), text:sub(length + 1)
            local bytes = filled(header) .. filled(cipher) .. bytes_of(#header, 8) .. bytes_of(length, 8)
            if poly1305(chacha(key, 0, nonce), bytes) ~= tag then
                return nil
            end
            local stream = {}
            for place = 1, math.ceil(length / 64) do
                stream[place] = chacha(key, place, nonce)
            end
            return masked(cipher, table.concat(stream))
        end,
    }
end

-- The suites by their numbers: length of the keys, and the cipher.
local SUITES = {
    ["1301"] = {16, gcm},
    ["1302"] = {32, gcm},
    ["1303"] = {32, chacha20_poly1305},
}

-- The keys of a line, or nil where the line has none.
local function keys_of(line)
    local suite, epoch, key, iv, sn_key = line:match("^SCTP_DTLS_KEYS (%x+) (%d+) (%x+) (%x+) (%x+)%s*$")
    local length, cipher = unpack(SUITES[suite] or {})
    if not length or #key ~= length * 2 or #iv ~= 24 or #sn_key ~= length * 2 then
        return nil
    end
    return {epoch = tonumber(epoch), iv = unhex(iv), cipher = cipher(unhex(key), unhex(sn_key)), next = 0}
end

-- The number that ends in these 16 bits and is nearest to what is expected (RFC 9147 §4.2.2).
local function nearest(expected, low)
    local number = expected - expected % 65536 + low
    if number > expected + 32768 and number >= 65536 then
        return number - 65536
    elseif number < expected - 32768 then
        return number + 65536
    end
    return number
end

-- The number and the chunks of a record of these keys, or nil.
local function open(keys, record)
    local flags = record:byte(1)
    if band(flags, 3) ~= keys.epoch % 4 or #record < 3 + TAG + 1 then
        return nil
    end
    local text = record:sub(4)
    local numbers = masked(record:sub(2, 3), keys.cipher.mask(text:sub(1, 16)))
    local high, low = numbers:byte(1, 2)
    local number = nearest(keys.next, high * 256 + low)
    local nonce = masked(keys.iv, ("\0"):rep(4) .. bytes_of(number, 8):reverse())
    local plain = keys.cipher.open(nonce, string.char(flags) .. numbers, text)
    if not plain then
        return nil
    end
    keys.next = math.max(keys.next, number + 1)
    local content = plain:match("^(.*[^%z])%z*$") or ""
    return number, content:byte(-1) == APPLICATION_DATA and content:sub(1, -2) or nil
end

local proto = Proto("sctp_dtls_chunk", "SCTP DTLS chunk")
proto.prefs.keys = Pref.string("Key log", "", "File with the keys that an end of the association has logged")
local field = {
    restart = ProtoField.bool("sctp_dtls_chunk.restart", "Restart keys"),
    epoch = ProtoField.uint64("sctp_dtls_chunk.epoch", "Epoch"),
    sequence = ProtoField.uint64("sctp_dtls_chunk.sequence", "Record number"),
}
proto.fields = {field.restart, field.epoch, field.sequence}
local locked = ProtoExpert.new("sctp_dtls_chunk.locked", "No keys of the log decrypt this packet", expert.group.DECRYPTION,
    expert.severity.NOTE)
proto.experts = {locked}

local source, destination, tag = Field.new("sctp.srcport"), Field.new("sctp.dstport"), Field.new("sctp.verification_tag")
local kind, flags, value = Field.new("sctp.chunk_type"), Field.new("sctp.chunk_flags"), Field.new("sctp.chunk_value")

-- All keys, those that have opened a record last first; and what each chunk was, since Wireshark asks more than once.
local log, seen = {}, {}

function proto.init()
    log, seen = {}, {}
    if proto.prefs.keys ~= "" then
        for line in io.lines(proto.prefs.keys) do
            log[#log + 1] = keys_of(line)
        end
    end
end

local function opened(record)
    for place, keys in ipairs(log) do
        local number, chunks = open(keys, record)
        if number then
            table.insert(log, 1, table.remove(log, place))
            return {epoch = keys.epoch, number = number, chunks = chunks}
        end
    end
    return {}
end

function proto.dissector(tvb, pinfo, tree)
    local sources, destinations, tags = {source()}, {destination()}, {tag()}
    local kinds, all_flags = {kind()}, {flags()}
    for _, info in ipairs({value()}) do
        local place
        for index, one in ipairs(kinds) do
            place = one.offset + 4 == info.offset and one.value == CHUNK and index or place
        end
        if place and info.len > 4 then
            local id = pinfo.number .. " " .. info.offset
            -- A byte of padding comes before the record.
            seen[id] = seen[id] or opened(info.range:raw(1))
            local found, packet = seen[id], 1
            for index, one in ipairs(sources) do
                packet = one.offset < info.offset and index or packet
            end
            local branch = tree:add(proto, info.range)
            branch:add(field.restart, info.range(0, 0), band(all_flags[place].value, RESTART) == RESTART):set_generated()
            if found.number then
                branch:add(field.epoch, info.range(1, 1), UInt64(found.epoch))
                branch:add(field.sequence, info.range(2, 2), UInt64(found.number))
            else
                branch:add_proto_expert_info(locked)
            end
            if found.chunks then
                local head = string.format("%04x%04x%08x00000000", sources[packet].value, destinations[packet].value,
                    tags[packet].value)
                local plain = ByteArray.new(head .. hex(found.chunks)):tvb("Decrypted SCTP packet")
                Dissector.get("sctp"):call(plain, pinfo, branch)
            end
        end
    end
end

register_postdissector(proto)
