import Humon
import Testing

@Suite struct ProgressBarTests {
    @Test(
        arguments: [
            (0, 200, "[--------------------]   0 %  7 events"),
            (100, 200, "[##########----------]  50 %  7 events"),
            (199, 200, "[###################-]  99 %  7 events"),
            (200, 200, "[####################] 100 %  7 events"),
            (900, 200, "[####################] 100 %  7 events"),
            (-1, 200, "[--------------------]   0 %  7 events"),
            (5, 0, "7 events"), (5, nil, "7 events"),
        ] as [(Int, Int?, String)]
    )
    func `shows how far it has come`(done: Int, total: Int?, text: String) {
        #expect(ProgressBar.text(done: done, total: total, count: "7 events") == text)
    }
}
