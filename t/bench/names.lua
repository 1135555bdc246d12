-- A peer of make bench: names in NFD, Shift_JIS or EUC-JP for nginx by Lua,
-- as someone would write it who has ICU and iconv: what is not UTF-8 is
-- converted, then all is normalized. The disk is not asked.
local ffi = require 'ffi'

local M = {}

local SIZE = 2048

-- The function for rewrite_by_lua; ICU's release is in its functions' names.
function M.of(release)
    ffi.cdef((([[
        void *unorm2_getNFCInstance_%d(int *);
        int32_t unorm2_normalize_%d(void *, const uint16_t *, int32_t,
                                    uint16_t *, int32_t, int *);
        uint16_t *u_strFromUTF8_%d(uint16_t *, int32_t, int32_t *,
                                   const char *, int32_t, int *);
        char *u_strToUTF8_%d(char *, int32_t, int32_t *,
                             const uint16_t *, int32_t, int *);
        void *iconv_open(const char *, const char *);
        size_t iconv(void *, char **, size_t *, char **, size_t *);
    ]]):gsub('%%d', tostring(release))))
    local icu = ffi.load('libicuuc.so.' .. release)
    M.icu = icu    -- or it is unloaded
    local status = ffi.new('int[1]')
    local length = ffi.new('int32_t[1]')
    local nfc = icu['unorm2_getNFCInstance_' .. release](status)
    local from, to = icu['u_strFromUTF8_' .. release],
        icu['u_strToUTF8_' .. release]
    local normalize = icu['unorm2_normalize_' .. release]
    local wide, composed = ffi.new('uint16_t[?]', SIZE),
        ffi.new('uint16_t[?]', SIZE)
    local octets = ffi.new('char[?]', SIZE * 3)
    local converters = {
        ffi.C.iconv_open('UTF-8', 'CP932'),
        ffi.C.iconv_open('UTF-8', 'EUC-JP'),
    }
    local input, output = ffi.new('char *[1]'), ffi.new('char *[1]')
    local left, room = ffi.new('size_t[1]'), ffi.new('size_t[1]')

    local function converted(path)
        for _, converter in ipairs(converters) do
            local copy = ffi.new('char[?]', #path, path)
            input[0], output[0] = copy, octets
            left[0], room[0] = #path, SIZE * 3
            ffi.C.iconv(converter, nil, nil, nil, nil)
            if ffi.C.iconv(converter, input, left, output, room) == 0 then
                return ffi.string(octets, SIZE * 3 - tonumber(room[0]))
            end
        end
    end

    local function units(path)
        status[0] = 0
        from(wide, SIZE, length, path, #path, status)
        return status[0] <= 0
    end

    return function()
        local path = ngx.var.uri
        if not path:find('[\128-\255]') then return end
        local utf8 = path
        if not units(utf8) then
            utf8 = converted(path)
            if not utf8 or not units(utf8) then return end
        end
        status[0] = 0
        local count = normalize(nfc, wide, length[0], composed, SIZE, status)
        to(octets, SIZE * 3, length, composed, count, status)
        if status[0] > 0 then return end
        local answer = ffi.string(octets, length[0])
        if answer ~= path then ngx.req.set_uri(answer) end
    end
end

return M
