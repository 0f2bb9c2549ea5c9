import Model
import Testing

@testable import Formats

@Suite struct CSVDecoderTests {
    @Test func `reads rows by the names of the columns, in any order`() throws {
        let text = """
            ended_at,lon,extra,lat,owner,started_at,name,id,address\r
            ,-122.25,,37.5,3,\(time),Picnic,7,\r
            \(time),-122.25,x,37.5,3,\(time),Picnic,,"12, ""Main"" St\r
            2nd floor"\r
            \r
            ,-122.25,,37.5,3,\(time),"Picnic",8,""\r

            """

        #expect(
            try records(in: text.utf8, .csv) == [
                .success(2, .picnic()),
                .success(
                    3,
                    .picnic(id: nil, address: "12, \"Main\" St\r\n2nd floor", endedAt: 5)
                ),
                .success(6, .picnic(id: 8, address: "")),
            ]
        )
    }

    @Test func `needs neither optional columns nor CRLF nor a last line's end`() throws {
        let text = "\u{FEFF}\"owner\",name,lat,lon,started_at\n3,Picnic,37.5,-122.25,\(time)"

        #expect(try records(in: text.utf8, .csv) == [.success(2, .picnic(id: nil))])
    }

    @Test(
        arguments: [
            ("3,Picnic,37.5,-122.25", "The row has 4 cells, but the header has 5"),
            ("3,Picnic,37.5,-122.25,x,y", "The row has 6 cells, but the header has 5"),
            ("3,Pic\"nic,37.5,1,x", "A cell with a quote in it must be in quotes"),
            ("3,\"Pic\"nic,37.5,1,x", "There is text after a closing quote"),
            (",Picnic,37.5,-122.25,2030-01-01T00:00:00.005Z", "Owner can't be blank"),
            ("3,,x,-122.25,2030-01-01T00:00:00.005Z", "Lat is not a number; Name can't be blank"),
        ]
    )
    func `reports a bad row and goes on`(row: String, reason: String) throws {
        let text = "\(header)\n\(row)\n3,Picnic,37.5,-122.25,\(time)\n"

        #expect(
            try records(in: text.utf8, .csv)
                == [.failure(2, reason), .success(3, .picnic(id: nil))]
        )
    }

    @Test(arguments: [",,,,", ",", "\"\",\"\",\"\",\"\",\"\"", " ,\u{A0}, ,\t,", " "])
    func `skips rows of blank cells`(row: String) throws {
        let event = "3,Picnic,37.5,-122.25,\(time)"
        for (separator, lineEnd) in [(",", "\r\n"), (";", "\n")] {
            let text = [header, row, event, row, row, event, row]
                .map { $0.replacing(",", with: separator) }.joined(separator: lineEnd)

            #expect(
                try records(in: text.utf8, .csv)
                    == [.success(3, .picnic(id: nil)), .success(6, .picnic(id: nil))]
            )
        }
    }

    @Test func `still reports a row that has only some blank cells`() throws {
        let text = "\(header)\n3,Picnic,,,\n"

        #expect(
            try records(in: text.utf8, .csv)
                == [
                    .failure(
                        2,
                        "Lat can't be blank; Lon can't be blank; Started at can't be blank"
                    )
                ]
        )
    }

    @Test(
        arguments: [
            ("sep=;", ";"), ("SEP=;", ";"), ("\"sep=;\"", ";"), ("\u{FEFF}sep=;", ";"),
            ("sep=,", ","),
        ],
        [1, 65_536]
    )
    func `reads the separator that the first line names`(
        line: (text: String, separator: String),
        chunkBytes: Int
    ) throws {
        let rows = [header + ",\"a;b\"", "3,Picnic,37.5,-122.25,\(time),x"]
        let text =
            ([line.text] + rows.map { $0.replacing(",", with: line.separator) })
            .joined(separator: "\r\n")

        #expect(
            try records(in: text.utf8, .csv, chunkBytes: chunkBytes)
                == [.success(3, .picnic(id: nil))]
        )
    }

    @Test func `reads ids that a spreadsheet has written as decimals`() throws {
        let text = """
            id,\(header)
            7001.0,3.0,Picnic,37.5,-122.25,\(time)
            7001.5,3.,Picnic,37.5,-122.25,\(time)

            """

        #expect(
            try records(in: text.utf8, .csv)
                == [
                    .success(2, .picnic(id: 7001)), .failure(3, "Owner is invalid; Id is invalid"),
                ]
        )
    }

    @Test func `reports a quote that is not closed and text that is not UTF-8`() throws {
        let bytes = Array("\(header)\n3,".utf8) + [0xFF] + Array(",1,1,x\n\n3,\"a\nb\n".utf8)

        #expect(
            try records(in: bytes, .csv)
                == [
                    .failure(2, "The text is not UTF-8"),
                    .failure(4, "The quote that opens in line 4 is never closed"),
                ]
        )
    }

    @Test(arguments: [64, 65_536])
    func `says where a quote opens that swallows the rest`(chunkBytes: Int) throws {
        let row = "3,Picnic,37.5,-122.25,\(time)\n"
        let open = "3,\"a\nb\",37.5,1,\"\(time)\n"
        let rest = String(repeating: row, count: 40_000)

        #expect(
            try records(in: "\(header)\n\(row)\(open)\(rest)".utf8, .csv, chunkBytes: chunkBytes)
                == [
                    .success(2, .picnic(id: nil)),
                    .failure(3, "The quote that opens in line 4 is never closed"),
                ]
        )
    }

    @Test(
        arguments: [
            (
                "owner,\"name\n3\n",
                "The header can't be read: The quote that opens in line 1 is never closed"
            ),
            ("", "The file is empty; its first line must name the columns"),
            ("owner,name,lat,started_at\n", "The header has no column lon"),
            ("id,owner,name,lat,lon,started_at,id\n", "The header has more than one column id"),
            (
                "owner\tname\tlat\tlon\tstarted_at\n3\ta\t1\t2\t2030-01-01\n",
                "The columns are separated by tabs; separate them by commas or semicolons"
            ),
            (
                "\"owner\"\t\"a,b;c\"\t\"lat\"\r\n",
                "The columns are separated by tabs; separate them by commas or semicolons"
            ),
            (
                "owner,name,lat,lon,started_at\r3,a,1,2,2030-01-01\r",
                "The first line ends with CR alone; lines must end with LF or CRLF"
            ),
            (
                "owner,name,lat,lon,started_at\r\r\n3,a,1,2,2030-01-01\r\r\n",
                "The first line ends with CR alone; lines must end with LF or CRLF"
            ),
            (
                "sep=|\nowner|name\n",
                "The columns are separated by \"|\"; separate them by commas or semicolons"
            ),
            (
                "sep=\t\nowner\tname\n",
                "The columns are separated by tabs; separate them by commas or semicolons"
            ),
            (
                "sep=;\nsep=;\n",
                "The header has no column owner; --owner ID sets the owner of all events"
            ),
            ("\n", "The header has no column owner; --owner ID sets the owner of all events"),
            ("a\"b\n", "The header can't be read: A cell with a quote in it must be in quotes"),
        ]
    )
    func `refuses a file without a usable header`(text: String, reason: String) {
        for chunkBytes in [1, 65_536] {
            #expect(throws: RecordFileError(reason: reason)) {
                try records(in: text.utf8, .csv, chunkBytes: chunkBytes)
            }
        }
    }

    /// Such a file is one line, of any length.
    @Test func `refuses a long file whose lines end with CR`() {
        let row = "3,Picnic,37.5,-122.25,\(time)\r"
        let text = "\(header)\r" + String(repeating: row, count: 30_000)
        let reason = "The first line ends with CR alone; lines must end with LF or CRLF"

        #expect(throws: RecordFileError(reason: reason)) { try records(in: text.utf8, .csv) }
    }

    @Test(arguments: ["\r\n", "\n"])
    func `takes tabs and CR for text within a header's quotes, and tabs for text in a name`(
        lineEnd: String
    ) throws {
        let text = [
            "\"a\rb\tc\",x\ty," + header, "1,2,3,Picnic,37.5,-122.25,\(time)", "",
        ].joined(separator: lineEnd)

        #expect(try records(in: text.utf8, .csv).map(\.number) == [2])
    }

    @Test(
        arguments: [
            "OWNER,Name,LAT,lOn,Started_At\n3,Picnic,37.5,-122.25,TIME\n",
            " owner , name,lat,lon,\"Started_at \"\n3,Picnic,37.5,-122.25,TIME\n",
            "owner;name;lat;lon;started_at\n3;Picnic;37.5;-122.25;TIME\n",
            "owner;name;lat;lon;started_at\r\n3;Picnic;37,5;-122,25;TIME\r\n",
            "\"owner\";\"name\";lat;lon;started_at\n3;Picnic;\"37,5\";-122.25;TIME\n",
            "owner;name;lat;lon;started_at;\"a,b\"\n3;Picnic;37.5;-122.25;TIME;\"x;\ny\"\n",
        ]
    )
    func `reads what spreadsheets write`(text: String) throws {
        let bytes = text.replacing("TIME", with: time).utf8

        for chunkBytes in [1, 65_536] {
            #expect(
                try records(in: bytes, .csv, chunkBytes: chunkBytes)
                    == [.success(2, .picnic(id: nil))]
            )
        }
    }

    @Test(
        arguments: [
            ("=1+2", "'=1+2"), ("+49 30 1", "'+49 30 1"), ("-x", "'-x"), ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "\"'\t=1\""), ("\r=1", "\"'\r=1\""), ("'=1", "''=1"), ("''@", "'''@"),
            ("-", "'-"), ("+inf", "'+inf"), ("-0x10", "'-0x10"), ("=1;2", "\"'=1;2\""),
            // What no spreadsheet runs.
            ("-5", "-5"), ("+1.5e3", "+1.5e3"), ("'-5", "'-5"), ("'s-Gravenhage", "'s-Gravenhage"),
            ("'", "'"), ("a=1", "a=1"), ("1", "1"),
        ]
    )
    func `writes no formula, and reads back what it was`(text: String, cell: String) throws {
        let record = EventRecord.picnic(name: text, address: text)
        var writer = EventRecordWriter(format: .csv)
        var bytes = writer.head
        writer.append(record, to: &bytes)

        let row = String(decoding: bytes.dropFirst(writer.head.count), as: UTF8.self)
        #expect(row == "7,3,\(cell),\(cell),37.5,-122.25,\(time),,,,,,,,,,,\r\n")
        #expect(try records(in: bytes, .csv) == [.success(2, record)])
    }

    private let header = "owner,name,lat,lon,started_at"
    private let time = "2030-01-01T00:00:00.005Z"
}
